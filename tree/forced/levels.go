package forced

import (
	"fmt"

	"boost/binning"
)

// CheckLevels refuses splits on levels of a tree on which their columns may not be split, by the first and last levels of columns.
func CheckLevels(nodes []Node, cuts *binning.Cuts, first, last map[string]int) error {
	if len(nodes) == 0 {
		return nil
	}
	return checkLevel(nodes, cuts, first, last, 0, 1)
}

// checkLevel is CheckLevels for the split with number at, which is on a level, and those below it.
func checkLevel(nodes []Node, cuts *binning.Cuts, first, last map[string]int, at, level int) error {
	if at < 0 {
		return nil
	}
	name := cuts.Features[nodes[at].Feature].Name
	bad := func(key string, limit int) error {
		return fmt.Errorf("tree.forced_splits has a split of column %q on level %d, and %s of %q is %d: leave one of them out", name, level, key, name, limit)
	}
	if limit, has := first[name]; has && level < limit {
		return bad("constraints.first_level", limit)
	}
	if limit, has := last[name]; has && level > limit {
		return bad("constraints.last_level", limit)
	}
	if err := checkLevel(nodes, cuts, first, last, nodes[at].Left, level+1); err != nil {
		return err
	}
	return checkLevel(nodes, cuts, first, last, nodes[at].Right, level+1)
}
