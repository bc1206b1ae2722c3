package allowed

import (
	"slices"
	"testing"
)

func TestTogether(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	if NewTogether(nil, names, nil) != nil {
		t.Error("no groups limit features")
	}
	together := NewTogether([][]string{{"a", "b"}, {"b", "c"}}, names, nil) // and d with e
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

// What is made of others goes with all that each of these goes with.
func TestTogetherMade(t *testing.T) {
	names := []string{"a", "b", "c", "a #2", "b #2", "c #2", "a × b", "a × c"}
	of := [][]string{3: {"a"}, 4: {"b"}, 5: {"c"}, 6: {"a", "b"}, 7: {"a", "c"}}
	together := NewTogether([][]string{{"a", "c"}, {"b"}, {"a × b"}}, names, of)
	for _, test := range []struct {
		way  int
		want []int
	}{{0, []int{0, 2, 3, 5, 7}}, {3, []int{0, 2, 3, 5, 7}}, {4, []int{1, 4}}, {6, []int{6}}, {7, []int{0, 2, 3, 5, 7}}} {
		groups := together.Below(nil, together.Root(nil), test.way)
		if got := together.Keep([]int{0, 1, 2, 3, 4, 5, 6, 7}, groups); !slices.Equal(got, test.want) {
			t.Errorf("after %q: %v, want %v", names[test.way], got, test.want)
		}
	}
	apart := NewTogether([][]string{{"a"}, {"b"}}, names[:7], of[:7])
	if got := apart.Keep([]int{2, 5, 6}, apart.Root(nil)); !slices.Equal(got, []int{2, 5}) {
		t.Errorf("of c, c #2 and a × b, whose columns are kept apart: %v, want c and c #2", got)
	}
}

func TestDepths(t *testing.T) {
	if NewDepths(nil, nil, NewCopies([]string{"a"}, nil)) != nil {
		t.Error("no levels limit features")
	}
	copies := NewCopies([]string{"a", "b", "c", "d", "a #2", "b #2", "a × b"}, [][]string{4: {"a"}, 5: {"b"}, 6: {"a", "b"}})
	d := NewDepths(map[string]int{"a": 2, "c": 3}, map[string]int{"b": 1, "b #2": 2, "c": 3}, copies)
	for depth, want := range [][]int{{1, 3, 5, 6}, {0, 3, 4, 5, 6}, {0, 2, 3, 4, 6}, {0, 3, 4, 6}} {
		if got := d.Keep([]int{0, 1, 2, 3, 4, 5, 6}, depth); !slices.Equal(got, want) {
			t.Errorf("depth %d: %v, want %v", depth, got, want)
		}
	}
}
