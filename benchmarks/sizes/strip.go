package sizes

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// statisticsKeys are the lines of a tree in LightGBM's text that no prediction needs.
var statisticsKeys = []string{"split_gain", "internal_value", "internal_weight", "internal_count", "leaf_weight", "leaf_count"}

// StripStatistics takes the statistics of nodes out of a model in LightGBM's text: of each
// tree the lines of statisticsKeys. The sizes of trees in the head are those of the new ones;
// all else stays, the parameters and the importance of features at the end too. A text without
// trees, or with others than its head counts, is an error.
func StripStatistics(text []byte) ([]byte, error) {
	head, rest, found := bytes.Cut(text, []byte("\n\nTree=0\n"))
	trees, tail, closed := bytes.Cut(rest, []byte("\nend of trees\n"))
	if !found || !closed {
		return nil, fmt.Errorf("no text of LightGBM's: it has no trees, or no end of them")
	}
	var kept []byte
	var sizes []string
	start := 0
	done := func() {
		if len(kept) > start {
			sizes = append(sizes, strconv.Itoa(len(kept)-start))
		}
		start = len(kept)
	}
	for line := range strings.Lines("Tree=0\n" + string(trees) + "\n") {
		key, _, _ := strings.Cut(line, "=")
		if key == "Tree" {
			done()
		}
		if !slices.Contains(statisticsKeys, key) {
			kept = append(kept, line...)
		}
	}
	done()
	var out []byte
	for line := range strings.Lines(string(head) + "\n") {
		if before, is := strings.CutPrefix(line, "tree_sizes="); is {
			if n := len(strings.Fields(before)); n != len(sizes) {
				return nil, fmt.Errorf("LightGBM's text has %d trees, its head %d", len(sizes), n)
			}
			line = "tree_sizes=" + strings.Join(sizes, " ") + "\n"
		}
		out = append(out, line...)
	}
	out = append(append(out, '\n'), kept...)
	return append(append(out, "end of trees\n"...), tail...), nil
}
