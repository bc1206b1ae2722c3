package forced

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/binning"
	"boost/dataset"
	"boost/internal/near"
)

// ErrForced is wrapped by the errors about a text of forced splits.
var ErrForced = errors.New("forced splits")

// form is how a text is written, for messages.
const form = `{"feature": "age", "threshold": 30, "left": {…}, "right": {…}}`

// Split is a split as it is written, and those below it.
type Split struct {
	// Feature is the name of a column, or its number among the features, from 0 on.
	Feature json.RawMessage `json:"feature"`
	// Threshold is a number that values of the left side are no higher than, or a level or a list of levels that go left.
	Threshold json.RawMessage `json:"threshold"`
	Left      *Split          `json:"left,omitempty"`
	Right     *Split          `json:"right,omitempty"`
}

// Node is a split over codes.
type Node struct {
	Feature     int
	Categorical bool
	Code        uint32   // numeric: last code that goes left
	Set         []uint32 // categorical: ascending codes that go left
	Left, Right int      // numbers of the splits of the left and the right child, −1 for none
}

// Parse reads a text.
func Parse(text string) (*Split, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var root *Split
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("%w: %v: want JSON like %s", ErrForced, err, form)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the split", ErrForced)
	}
	if root == nil {
		return nil, fmt.Errorf("%w: null: want JSON like %s", ErrForced, form)
	}
	return root, root.check("the first split")
}

// Compact returns a text without blanks, which says the same.
func Compact(text string) (string, error) {
	if _, err := Parse(text); err != nil {
		return "", err
	}
	var b bytes.Buffer
	err := json.Compact(&b, []byte(text))
	return b.String(), err
}

func (s *Split) check(where string) error {
	if len(s.Feature) == 0 || len(s.Threshold) == 0 {
		return fmt.Errorf("%w: %s needs a \"feature\" and a \"threshold\": %s", ErrForced, where, form)
	}
	if s.Left != nil {
		if err := s.Left.check(where + `, "left"`); err != nil {
			return err
		}
	}
	if s.Right != nil {
		return s.Right.check(where + `, "right"`)
	}
	return nil
}

// resolver turns splits into nodes.
type resolver struct {
	cuts   *binning.Cuts
	schema dataset.Schema
	nodes  []Node
	notes  []string
}

// Resolve returns a text's splits over codes, the first one first. A number that is no cut becomes the nearest cut; notes say
// which. An empty text has no splits.
func Resolve(text string, cuts *binning.Cuts, schema dataset.Schema) (nodes []Node, notes []string, err error) {
	if text == "" {
		return nil, nil, nil
	}
	root, err := Parse(text)
	if err != nil {
		return nil, nil, err
	}
	r := resolver{cuts: cuts, schema: schema}
	if _, err := r.add(root); err != nil {
		return nil, nil, err
	}
	return r.nodes, r.notes, nil
}

// add adds a split and those below it, and returns its number.
func (r *resolver) add(s *Split) (number int, err error) {
	if s == nil {
		return -1, nil
	}
	n := Node{Left: -1, Right: -1}
	if n.Feature, err = r.feature(s.Feature); err != nil {
		return 0, err
	}
	feature := &r.cuts.Features[n.Feature]
	if feature.Kind == binning.Categorical && !feature.BySets() {
		return 0, fmt.Errorf("%w: the levels of column %q are split by an order, not by sets: set categorical.splits = \"sets\"", ErrForced, feature.Name)
	}
	if n.Categorical = feature.Kind == binning.Categorical; n.Categorical {
		n.Set, err = r.set(feature, s.Threshold)
	} else {
		n.Code, err = r.code(n.Feature, s.Threshold)
	}
	if err != nil {
		return 0, err
	}
	number = len(r.nodes)
	r.nodes = append(r.nodes, n)
	left, err := r.add(s.Left)
	if err != nil {
		return 0, err
	}
	right, err := r.add(s.Right)
	r.nodes[number].Left, r.nodes[number].Right = left, right
	return number, err
}

// feature returns the number of a feature that is named, or counted.
func (r *resolver) feature(text json.RawMessage) (int, error) {
	var name string
	if json.Unmarshal(text, &name) == nil {
		names := make([]string, len(r.cuts.Features))
		for f := range names {
			if names[f] = r.cuts.Features[f].Name; names[f] == name {
				return f, nil
			}
		}
		return 0, fmt.Errorf("%w: there is no feature %q%s", ErrForced, name, near.Question(near.Words(name, names)))
	}
	var index int
	if err := json.Unmarshal(text, &index); err != nil || index < 0 || index >= len(r.cuts.Features) {
		return 0, fmt.Errorf("%w: feature %s: want the name of a column, or its number among the %d features from 0 on", ErrForced, text, len(r.cuts.Features))
	}
	return index, nil
}

// code returns the last code on the left of the cut that is nearest to a number, the lower one of two.
func (r *resolver) code(f int, text json.RawMessage) (uint32, error) {
	feature := &r.cuts.Features[f]
	var threshold float64
	if err := json.Unmarshal(text, &threshold); err != nil || string(text) == "null" {
		return 0, fmt.Errorf("%w: threshold %s of column %q: want a number, because the column holds numbers", ErrForced, text, feature.Name)
	}
	var cuts []float64
	if feature.Kind == binning.Numeric64 {
		cuts = r.cuts.Of64(f)
	} else {
		for _, cut := range r.cuts.Of32(f) {
			cuts = append(cuts, float64(cut))
		}
	}
	if len(cuts) == 0 {
		return 0, fmt.Errorf("%w: column %q has no cuts: all its values are the same", ErrForced, feature.Name)
	}
	at, exact := slices.BinarySearch(cuts, threshold)
	if !exact {
		if at == len(cuts) || at > 0 && threshold-cuts[at-1] <= cuts[at]-threshold {
			at--
		}
		if cut := cuts[at]; feature.Kind == binning.Numeric64 || float32(cut) != float32(threshold) {
			note := fmt.Sprintf("column %q has no cut at %v: the nearest one, %v, is taken; binning.forced_cuts = {%q = [%v]} makes it a cut",
				feature.Name, threshold, cut, feature.Name, threshold)
			if !slices.Contains(r.notes, note) {
				r.notes = append(r.notes, note)
			}
		}
	}
	return uint32(at), nil
}

// set returns the codes of a level or a list of levels.
func (r *resolver) set(feature *binning.Feature, text json.RawMessage) ([]uint32, error) {
	list := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrForced, err)
		}
	}
	column := slices.IndexFunc(r.schema.Columns, func(c dataset.ColumnSchema) bool { return c.Name == feature.Name })
	levels := r.schema.Columns[column].Levels
	var set []uint32
	for _, item := range list {
		name := string(item) // a number stands for the level of that name
		if item[0] == '"' {
			if err := json.Unmarshal(item, &name); err != nil {
				return nil, fmt.Errorf("%w: %v", ErrForced, err)
			}
		}
		at := slices.Index(levels, name)
		if at < 0 || at >= len(feature.Codes) || feature.Codes[at] == binning.NoCode {
			return nil, fmt.Errorf("%w: column %q has no level %q in training%s", ErrForced, feature.Name, name, near.Question(near.Words(name, levels)))
		}
		if code := feature.Codes[at]; !slices.Contains(set, code) {
			set = append(set, code)
		}
	}
	slices.Sort(set)
	return set, nil
}

// Features lists the features that splits are on, ascending.
func Features(nodes []Node) (features []int) {
	for _, n := range nodes {
		features = append(features, n.Feature)
	}
	slices.Sort(features)
	return slices.Compact(features)
}
