package allowed

import (
	"slices"
	"testing"
)

func TestTogether(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	if NewTogether(nil, names) != nil {
		t.Error("no groups limit features")
	}
	together := NewTogether([][]string{{"a", "b"}, {"b", "c"}}, names) // and d with e
	for _, test := range []struct{ way, want []int }{
		{nil, []int{0, 1, 2, 3, 4}}, {[]int{0}, []int{0, 1}}, {[]int{1}, []int{0, 1, 2}}, {[]int{1, 2}, []int{1, 2}}, {[]int{3}, []int{3, 4}},
	} {
		groups := together.Root(nil)
		for _, f := range test.way {
			groups = together.Below(nil, groups, f)
		}
		if got := together.Keep([]int{0, 1, 2, 3, 4}, groups); !slices.Equal(got, test.want) {
			t.Errorf("after %v: %v, want %v", test.way, got, test.want)
		}
	}
}

func TestDepths(t *testing.T) {
	if NewDepths(nil, nil, []string{"a"}) != nil {
		t.Error("no levels limit features")
	}
	d := NewDepths(map[string]int{"a": 2, "c": 3}, map[string]int{"b": 1, "c": 3}, []string{"a", "b", "c", "d"})
	for depth, want := range [][]int{{1, 3}, {0, 3}, {0, 2, 3}, {0, 3}} {
		if got := d.Keep([]int{0, 1, 2, 3}, depth); !slices.Equal(got, want) {
			t.Errorf("depth %d: %v, want %v", depth, got, want)
		}
	}
}
