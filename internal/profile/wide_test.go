package profile_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
	"boost/parallel"
)

// A column without stored cells takes a few hundred bytes at most, garbage counted, and has the
// figures of a column of zeros.
func TestEmptyColumnsAreShared(t *testing.T) {
	const width = 100_000
	ctx := context.Background()
	table, err := dataset.Read(ctx, strings.NewReader("1 1:1 2:2\n0 100000:1\n1 3:2\n"), "wide.svm")
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(2)
	defer pool.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := profile.Of(ctx, table, profile.Params{Label: "label", Classes: true}, pool)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) / width; took > 400 {
		t.Errorf("%d bytes a column, want up to 400", took)
	}
	const last = 50_000
	c := &found.Columns[last]
	if c.Name != "f50000" || c.Kind != "number" || c.Role != "feature" || c.Distinct != 1 || *c.Zeros != 3 || *c.Max != 0 || *c.Q99 != 0 || c.Missing != 0 {
		t.Errorf("column %d is %s: %+v", last, c.Name, c.Figures)
	}
	if stored := &found.Columns[2]; stored.Name != "f2" || *stored.Max != 2 || *stored.Zeros != 2 {
		t.Errorf("column 2 is %s: %+v", stored.Name, stored.Figures)
	}
	constants := 0
	for _, f := range found.Findings {
		if f.Code == profile.Constant && f.Message == "is always 0" {
			constants++
		}
	}
	if constants != width-4 { // f1, f2, f3 and f100000 have a value
		t.Errorf("%d columns are always 0, want %d", constants, width-4)
	}
}
