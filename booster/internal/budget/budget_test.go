package budget

import (
	"errors"
	"testing"
)

func TestLimit(t *testing.T) {
	const machine = Machine(1 << 20)
	for _, c := range []struct {
		asked int64
		want  Limit
	}{
		{0, Limit{1 << 20, "the memory of this machine"}},
		{1 << 10, Limit{1 << 10, Key}},
		{1 << 21, Limit{1 << 20, "the memory of this machine"}}, // the machine has less
	} {
		if got := machine.Limit(c.asked); got != c.want {
			t.Errorf("asked for %d: %v, want %v", c.asked, got, c.want)
		}
	}
	if got := (Limit{Bytes: 100}).Left(30); got != 70 {
		t.Errorf("%d of 100 are left beside 30", got)
	}
	if got := (Limit{}).Left(1 << 60); got < 1<<60 {
		t.Errorf("an unknown limit leaves %d", got)
	}
}

// The need against the limit, and what to do: a limit raised by half (1,023 bytes × 3/2 = 1 KiB and a half, rounded up), or less
// to train on.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit Limit
		need  Need
		want  string // "" for none
	}{
		{"fits", Limit{1023, Key}, Need{Matrix: 1000, Rows: 20, Histograms: 3}, ""},
		{"unknown", Limit{}, Need{Rows: 1 << 50}, ""},
		{"codes", Limit{1022, Key}, Need{Matrix: 1000, Rows: 20, Histograms: 3},
			`out of budget: training needs about 1023 bytes, train.memory_limit is 1022 bytes (codes 1000 bytes, rows 20 bytes, histograms 3 bytes): set train.memory_limit = "2KiB", or lower tree.leaves or binning.max_bin`},
		{"rows", Limit{1 << 20, "the memory of this machine"}, Need{Rows: 3 << 30},
			`out of budget: training needs about 3.0 GiB, the memory of this machine is 1.0 MiB (its rows alone): train on fewer rows`},
		{"megabytes", Limit{1 << 20, Key}, Need{Rows: 2 << 20},
			`out of budget: training needs about 2.0 MiB, train.memory_limit is 1.0 MiB (its rows alone): set train.memory_limit = "4MiB", or train on fewer rows`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.limit.Check(c.need)
			switch {
			case err == nil && c.want != "", err != nil && err.Error() != c.want:
				t.Errorf("%v, want %s", err, c.want)
			case err != nil && !errors.Is(err, ErrOver):
				t.Errorf("%v does not wrap ErrOver", err)
			}
		})
	}
}

// What folds need together is held against the whole limit: 5 × 300 KiB, and half as much again.
func TestCheckBeside(t *testing.T) {
	need := Need{Matrix: 100 << 10, Rows: 150 << 10, Histograms: 50 << 10}
	if err := (Limit{1500 << 10, Key}).CheckBeside(need, 5); err != nil {
		t.Error(err)
	}
	var over *Over
	err := (Limit{1 << 20, Key}).CheckBeside(need, 5)
	want := `out of budget: training 5 folds at the same time needs about 1.5 MiB, train.memory_limit is 1.0 MiB (each codes 100.0 KiB, rows 150.0 KiB, histograms 50.0 KiB): set train.memory_limit = "3MiB", or lower tree.leaves or binning.max_bin`
	if err == nil || err.Error() != want || !errors.Is(err, ErrOver) || !errors.As(err, &over) || over.Need != need {
		t.Errorf("%v, want %s", err, want)
	}
}
