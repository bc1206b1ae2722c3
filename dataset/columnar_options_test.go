package dataset_test

import (
	"context"
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
