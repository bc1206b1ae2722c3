package dataset_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"boost/dataset"
)

// A column of a wide CSV table of few rows takes about a kilobyte while it is read, garbage counted.
func TestWideTableIsCheap(t *testing.T) {
	const width = 100_000
	var text strings.Builder
	for i := range width {
		fmt.Fprintf(&text, "c%d,", i)
	}
	header := strings.TrimSuffix(text.String(), ",")
	row := strings.TrimSuffix(strings.Repeat("0,1,2,3,4,", width/5), ",")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, err := dataset.Read(context.Background(), strings.NewReader(header+"\n"+row+"\n"), "wide.csv")
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) / width; took > 1100 {
		t.Errorf("%d bytes a column, want up to 1100", took)
	}
	columns := table.Columns()
	if last := columns[width-1]; len(columns) != width || last.Name() != "c99999" || last.Float32s()[0] != 4 {
		t.Errorf("%d columns, the last is %s", len(columns), last.Name())
	}
}
