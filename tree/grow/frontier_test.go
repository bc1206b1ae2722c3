package grow

import "testing"

// A worker takes the best open leaf only if the tree has room for its split after those of all
// others that come before: work for leaves that the tree cannot have is not begun.
func TestLikely(t *testing.T) {
	type leaf struct {
		score float64
		state state
		up    int // noNode: a leaf of the tree; else what it is split off, ahead of its turn
	}
	for _, c := range []struct {
		name   string
		nodes  []leaf
		leaves int // that the tree may have
		want   int
	}{
		{"better ones take the room", []leaf{{10, busy, noNode}, {5, open, noNode}}, 3, -1},
		{"equal ones do", []leaf{{5, busy, noNode}, {5, open, noNode}}, 3, -1},
		{"room for both", []leaf{{10, busy, noNode}, {5, open, noNode}}, 4, 1},
		{"worse ones take none", []leaf{{10, open, noNode}, {5, open, noNode}}, 3, 0},
		{"worse ones that are busy take none", []leaf{{5, busy, noNode}, {10, open, noNode}}, 3, 1},
		// Node 2 comes after node 0, which it is split off, and so after node 1: three splits for 5 leaves.
		{"a node above comes before", []leaf{{5, expanded, noNode}, {7, busy, noNode}, {50, open, 0}}, 4, -1},
		{"room after the node above", []leaf{{5, expanded, noNode}, {7, busy, noNode}, {50, open, 0}}, 5, 2},
		{"none is open", []leaf{{5, busy, noNode}}, 9, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Grower{config: Config{Params: Params{Leaves: c.leaves}}}
			f := &frontier{Grower: g, most: len(c.nodes) + 1, large: 1}
			for at, n := range c.nodes {
				g.nodes = append(g.nodes, node{best: candidate{found: true, score: n.score}, state: n.state, up: n.up})
				f.pending = append(f.pending, int32(at))
				if n.up == noNode {
					g.leaves = append(g.leaves, int32(at))
				}
				if n.state != open {
					f.ahead++
				}
			}
			if got := f.likely(); got != c.want {
				t.Errorf("likely() = %d, want %d", got, c.want)
			}
			if f.bar = 100; f.likely() != -1 {
				t.Error("a leaf that counts for less than the bar is taken")
			}
			f.bar = 0
			if f.most = f.ahead; f.likely() != -1 {
				t.Errorf("%d are split ahead, which is the most, and another one is taken", f.ahead)
			}
		})
	}
}
