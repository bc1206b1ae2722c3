package dataset_test

import (
	"context"
	"errors"
	"testing"

	"boost/dataset"
)

// TestColumnarEncoding reads text that the format says is UTF-8: an encoding that is set
// for files of text does not apply to it.
func TestColumnarEncoding(t *testing.T) {
	ctx := context.Background()
	want, err := dataset.Open(ctx, interop("types.csv"), dataset.Categorical("text"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"types.snappy.parquet", "types.page2plain.parquet", "types.plain.arrow", "types.plain.arrows"} {
		for _, encoding := range []string{"latin1", "cp1252"} {
			got, err := dataset.Open(ctx, interop(name), dataset.Categorical("text"), dataset.Encoding(encoding))
			if err != nil {
				t.Errorf("%s, %s: %v", name, encoding, err)
			} else if show(got) != show(want) {
				t.Errorf("%s, %s: the table is not its twin's", name, encoding)
			}
		}
	}
}

// TestColumnarBrokenText meets bytes that are no text in two rows of three.
func TestColumnarBrokenText(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"refused.binary.parquet", "refused.binary.arrow"} {
		for form, option := range map[string]dataset.Option{"category": dataset.Categorical("bad"), "id": dataset.ID("bad")} {
			_, err := dataset.Open(ctx, interop(name), option)
			var bad *dataset.ParseError
			if !errors.As(err, &bad) || bad.Line != 1 || !bad.Row || bad.Column != "bad" {
				t.Errorf("%s as %s: %v", name, form, err)
			}
			table, err := dataset.Open(ctx, interop(name), option, dataset.SkipBadRows())
			if err != nil || table.NumRows() != 1 || table.Skipped() != 2 || table.Column("x").Float32s()[0] != 3.5 {
				t.Errorf("%s as %s, bad rows left out: %v", name, form, err)
			}
		}
	}
}
