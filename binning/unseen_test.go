package binning_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"boost/binning"
)

func TestUnseen(t *testing.T) {
	train := table(t, levels("k", []string{"a", "b", "held out"}, 0, 1, 1), floats32("x", 1, 2, 3), levels("m", []string{"p", "q"}, 0, 1, -1))
	cuts := fit(t, train, params(nil))
	t.Run("counted_once_per_column", func(t *testing.T) {
		later := table(t,
			levels("k", []string{"a", "b", "held out", "new", "newer"}, 1, 4, -1, 3, 2, 4, 0),
			floats32("x", 9, 9, 9, 9, 9, 9, 9),
			levels("m", []string{"p", "q", "r"}, 0, 1, 0, -1, 1, 0, 0)) // nobody has r
		before := slices.Clone(later.Column("k").Codes())
		got, err := cuts.Unseen(later)
		if err != nil {
			t.Fatal(err)
		}
		want := []binning.Unseen{{Column: "k", Rows: 4, Levels: 3, Row: 1, Example: "newer", Names: []string{"newer", "new", "held out"}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		equal(t, "the table's own codes", later.Column("k").Codes(), before)
	})
	t.Run("nothing_unseen", func(t *testing.T) {
		if got, err := cuts.Unseen(train); got != nil || err != nil {
			t.Errorf("training table: %v, %v", got, err)
		}
	})
	t.Run("other_table", func(t *testing.T) {
		if _, err := cuts.Unseen(table(t, floats32("x", 1))); !errors.Is(err, binning.ErrMismatch) {
			t.Errorf("error %v", err)
		}
	})
}
