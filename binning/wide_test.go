package binning_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// A feature without stored cells takes a few hundred bytes at most on its way to codes, garbage counted.
func TestEmptyFeaturesAreCheap(t *testing.T) {
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
	cuts, _, err := binning.Fit(ctx, table, nil, binning.Defaults(), 1, pool)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := binning.Code(ctx, cuts, table, binning.Defaults(), pool)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) / width; took > 350 {
		t.Errorf("%d bytes a feature, want up to 350", took)
	}
	m, err := codes.Matrix(ctx, binning.Defaults(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[int]uint32{0: 2, 1: 2, 2: 2, 3: 1, width / 2: 1, width - 1: 2} {
		if n := m.FeatureInfo(f).NBins; n != want {
			t.Errorf("feature %d has %d codes, want %d", f, n, want)
		}
	}
	if column := m.Column(width - 1); column.At(0) != 0 || column.At(1) != 1 || column.At(2) != 0 {
		t.Errorf("the last feature has codes %d, %d, %d, want 0, 1, 0", column.At(0), column.At(1), column.At(2))
	}
}
