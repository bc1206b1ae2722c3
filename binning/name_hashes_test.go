package binning_test

import (
	"fmt"
	"slices"
	"testing"

	"boost/binning"
	"boost/internal/testenv"
)

// The values are those of a few lines of Python, written from docs/format.md.
func TestNameHashes(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  []uint32
	}{
		{[]string{"a"}, []uint32{2091}},
		{[]string{"nurse", "käse", "", "line\nend", "truck driver"}, []uint32{1997, 9627, 10675, 16081, 16291}},
		{nil, nil},
	} {
		if got := binning.NameHashes(c.names); !slices.Equal(got, c.want) {
			t.Errorf("marks of %q are %v, want %v", c.names, got, c.want)
		}
	}
}

// Names that were marked are always known, others once in 4,096: in 2²¹ draws 128 times, give or take
// five standard deviations.
func TestHashesName(t *testing.T) {
	testenv.Unraced(t)
	var names []string
	for k := range 300 {
		names = append(names, fmt.Sprintf("%x is a title", k*2654435761))
	}
	f := binning.Feature{NameHashes: binning.NameHashes(names)}
	if err := binning.CheckNameHashes(f.NameHashes); err != nil {
		t.Error(err)
	}
	for _, name := range names {
		if !f.HashesName(name) {
			t.Errorf("%q is not known", name)
		}
	}
	for _, form := range []string{"%d is new", "new %d", "%x", "title %d x"} {
		hits := 0
		for i := range 1 << 19 {
			if f.HashesName(fmt.Sprintf(form, i)) {
				hits++
			}
		}
		if hits < 128-57 || hits > 128+57 {
			t.Errorf("%q: %d of 2¹⁹ are taken for others, want 128", form, hits)
		}
	}
	for _, bad := range [][]uint32{{4096}, {2, 1}, make([]uint32, binning.MaxNameHashes+1)} {
		if binning.CheckNameHashes(bad) == nil {
			t.Errorf("%d marks pass", len(bad))
		}
	}
}
