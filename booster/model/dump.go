package model

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"boost/binning"
)

// DumpTrees writes all trees as text, with the names of features and levels and the
// values of cuts; see tree.Tree.Dump for the form of a tree.
func (m *Model) DumpTrees(w io.Writer) error {
	c := m.contents
	levels := m.levelNames()
	for i := range c.Trees {
		t := &c.Trees[i]
		head := fmt.Sprintf("tree %d: round %d", i, i/c.Outputs)
		if c.Outputs > 1 {
			head += ", output " + m.outputName(i%c.Outputs)
		}
		if _, err := fmt.Fprintf(w, "%s, %d leaves\n", head, t.NumLeaves()); err != nil {
			return err
		}
		err := t.Dump(w, func(node int) string {
			f := int(t.Feature[node])
			name := plain(c.Cuts.Features[f].Name)
			if t.Categorical[node] {
				return setWords(name, levels[f], t.Set(node), t.MissingLeft[node])
			}
			if c.Cuts.Features[f].Ordered {
				return prefixWords(name, levels[f], t.Code[node], t.MissingLeft[node])
			}
			return cutWords(name, m.cutText(f, t.Code[node]), t.MissingLeft[node])
		}, func(feature int) string { return plain(c.Cuts.Features[feature].Name) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) outputName(k int) string {
	if m.contents.Classes != nil {
		return plain(m.contents.Classes[k])
	}
	if labels := m.contents.Labels(); len(labels) > 1 {
		return plain(labels[k])
	}
	return strconv.Itoa(k)
}

// cutText returns the value of the cut above a code, "" behind the last cut.
func (m *Model) cutText(f int, code uint32) string {
	c := m.contents.Cuts
	if c.Features[f].Kind == binning.Numeric32 {
		if cuts := c.Of32(f); int(code) < len(cuts) {
			return strconv.FormatFloat(float64(cuts[code]), 'g', -1, 32)
		}
	} else if cuts := c.Of64(f); int(code) < len(cuts) {
		return strconv.FormatFloat(cuts[code], 'g', -1, 64)
	}
	return ""
}

// mostNamed is how many levels a split by order names.
const mostNamed = 10

// prefixWords words a split that sends the levels of a code and of those below it left.
func prefixWords(name string, levels [][]string, code uint32, missingLeft bool) string {
	if int(code) == len(levels)-1 {
		return cutWords(name, "", missingLeft)
	}
	inside := slices.Concat(levels[:code+1]...)
	if more := len(inside) - mostNamed; more > 0 {
		inside = append(inside[len(inside)-mostNamed:], fmt.Sprintf("… %d before these", more))
	}
	words := name + " in {" + strings.Join(inside, ", ") + "}"
	if missingLeft {
		words += " or is missing"
	}
	return words
}

func cutWords(name, cut string, missingLeft bool) string {
	switch {
	case cut == "" && missingLeft:
		return name + " has any value or is missing"
	case cut == "":
		return name + " is not missing"
	case missingLeft:
		return name + " ≤ " + cut + " or is missing"
	default:
		return name + " ≤ " + cut
	}
}

// levelNames returns per categorical feature the levels of each code; several levels
// share the code of rare ones.
func (m *Model) levelNames() [][][]string {
	c := m.contents
	names := make([][][]string, len(c.Cuts.Features))
	for f, column := range c.FeatureColumns() {
		feature := &c.Cuts.Features[f]
		if feature.Kind != binning.Categorical {
			continue
		}
		names[f] = make([][]string, feature.Regular)
		for level, code := range feature.Codes {
			if code != binning.NoCode {
				names[f][code] = append(names[f][code], plain(column.Levels[level]))
			}
		}
		if last := feature.Regular - 1; len(feature.NameHashes) > 0 {
			names[f][last] = append(names[f][last], fmt.Sprintf("levels known by marks (%d)", len(feature.NameHashes)))
		}
	}
	return names
}

func setWords(name string, levels [][]string, set []uint32, missingLeft bool) string {
	var inside []string
	for _, code := range set {
		inside = append(inside, levels[code]...)
	}
	words := name + " in {" + strings.Join(inside, ", ") + "}"
	if missingLeft {
		words += " or is missing"
	}
	return words
}

// plain returns a name as it is if it reads as one, else quoted.
func plain(name string) string {
	quoted := strconv.Quote(name)
	if name == "" || quoted != `"`+name+`"` || strings.ContainsAny(name, "{},") {
		return quoted
	}
	return name
}
