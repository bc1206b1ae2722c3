package registry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"boost/booster/model"
	"boost/dataset"
)

// Rule says how a model is made of another one, so that it needs no bytes of its own but for what the
// rule cannot make (S3.52, S3.53). Rules are Prefix, Append, Leaves, Scale, Permutation, Projection,
// and Discard.
//
// A rule works on models as they were added, never on what a tier has made of them, and has to make its
// model byte for byte.
type Rule interface {
	// origin checks the rule by itself, and returns what is stored of it: want is the model that it is
	// to make of base.
	origin(base, want *model.Model) (origin, []byte, error)
	// of is the id of the base.
	of() string
}

// Discard gives the model up for good once it is not used any more: predicting with it is then
// ErrTierZeroNoPolicy.
type Discard struct{}

// Prefix is the first rounds of a longer model.
type Prefix struct {
	Of     string
	Rounds int
}

// Append is a model that goes on where Of ends; the rounds that it has more are kept.
type Append struct{ Of string }

// Leaves is a model with the splits of Of and other leaf values, as a refit makes; the values that differ are
// kept, or all where these are more bytes.
type Leaves struct{ Of string }

// Scale is Of with all leaf values multiplied.
type Scale struct {
	Of string
	By float64
}

// Permutation is Of with its trees, or its outputs, in another order: tree i is tree Trees[i] of Of, output i output
// Outputs[i]. One of the two is nil. Outputs change places with their base scores and classes.
type Permutation struct {
	Of             string
	Trees, Outputs []int
}

// Projection is Of with some of its outputs: output i is output Outputs[i] of Of.
type Projection struct {
	Of      string
	Outputs []int
}

// origin is what is recorded of where a model's lossless form comes from.
type origin struct {
	SHA     string  `json:"sha256"` // of the model
	Kind    string  `json:"kind"`   // one of the constants
	Of      string  `json:"of,omitempty"`
	Size    int64   `json:"size,omitempty"` // of the payload before it was packed
	Rounds  int     `json:"rounds,omitempty"`
	By      float64 `json:"by,omitempty"`
	Trees   order   `json:"trees,omitempty"`
	Outputs order   `json:"outputs,omitempty"`
}

// order is a list of numbers of trees or outputs.
type order []int

// UnmarshalJSON makes memory for the numbers once they are counted: two bytes may be one.
func (o *order) UnmarshalJSON(b []byte) error {
	if *o = nil; string(b) == "null" {
		return nil
	}
	text, isList := strings.CutPrefix(string(b), "[")
	if !isList {
		return fmt.Errorf("%.40q is not a list", b)
	}
	if text = strings.TrimSpace(strings.TrimSuffix(text, "]")); text == "" {
		return nil
	}
	*o = make(order, 0, strings.Count(text, ",")+1)
	for number := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			return fmt.Errorf("%.40q is no number of a part", number)
		}
		*o = append(*o, n)
	}
	return nil
}

// Values of origin.Kind, and what the payload is.
const (
	fromFile        = "file"   // a .boost file
	fromPrefix      = "prefix" // nothing
	fromAppend      = "append" // the .boost file of the rounds that follow
	fromLeaves      = "leaves" // see leavesDelta
	fromScale       = "scale"
	fromPermutation = "permutation"
	fromProjection  = "projection"
)

func (o origin) isRule() bool { return o.Kind != "" && o.Kind != fromFile }

func (Discard) of() string       { return "" }
func (p Prefix) of() string      { return p.Of }
func (a Append) of() string      { return a.Of }
func (l Leaves) of() string      { return l.Of }
func (s Scale) of() string       { return s.Of }
func (p Permutation) of() string { return p.Of }
func (p Projection) of() string  { return p.Of }

func (Discard) origin(_, _ *model.Model) (origin, []byte, error) {
	return origin{}, nil, errors.New("nothing is made by a rule to discard")
}

func (p Prefix) origin(_, _ *model.Model) (origin, []byte, error) {
	return origin{Kind: fromPrefix, Of: p.Of, Rounds: p.Rounds}, nil, nil
}

func (a Append) origin(base, want *model.Model) (origin, []byte, error) {
	tail, err := want.Tail(base.Rounds())
	if err != nil {
		return origin{}, nil, err
	}
	data, err := tail.Encode()
	return origin{Kind: fromAppend, Of: a.Of}, data, err
}

func (l Leaves) origin(base, want *model.Model) (origin, []byte, error) {
	data, err := leavesDelta(base, want)
	return origin{Kind: fromLeaves, Of: l.Of}, data, err
}

func (s Scale) origin(_, _ *model.Model) (origin, []byte, error) {
	if math.IsNaN(s.By) || math.IsInf(s.By, 0) {
		return origin{}, nil, fmt.Errorf("leaves times %v: expected a finite number", s.By)
	}
	return origin{Kind: fromScale, Of: s.Of, By: s.By}, nil, nil
}

func (p Permutation) origin(base, _ *model.Model) (origin, []byte, error) {
	switch {
	case (p.Trees == nil) == (p.Outputs == nil):
		return origin{}, nil, errors.New("a permutation of trees and of outputs, or of neither: expected one order")
	case p.Trees != nil && len(p.Trees) != base.NumTrees(), p.Outputs != nil && len(p.Outputs) != base.Outputs():
		return origin{}, nil, fmt.Errorf("an order of %d trees and %d outputs for a model of %d and %d", len(p.Trees), len(p.Outputs), base.NumTrees(), base.Outputs())
	}
	return origin{Kind: fromPermutation, Of: p.Of, Trees: p.Trees, Outputs: p.Outputs}, nil, nil
}

func (p Projection) origin(_, _ *model.Model) (origin, []byte, error) {
	if len(p.Outputs) == 0 {
		return origin{}, nil, errors.New("a projection on no outputs: expected one or more")
	}
	return origin{Kind: fromProjection, Of: p.Of, Outputs: p.Outputs}, nil, nil
}

// make executes the rule.
func (o origin) make(base *model.Model, data []byte) (*model.Model, error) {
	switch o.Kind {
	case fromPrefix:
		return base.Prefix(o.Rounds)
	case fromAppend:
		tail, err := model.Decode(data)
		if err != nil {
			return nil, err
		}
		return base.Append(tail)
	case fromLeaves:
		return applyLeaves(base, data)
	case fromScale:
		leaves := base.Leaves()
		for i, v := range leaves {
			leaves[i] = v * o.By
		}
		return base.WithLeaves(leaves)
	case fromPermutation:
		if o.Trees != nil {
			return orderTrees(base, o.Trees)
		}
		return takeOutputs(base, o.Outputs)
	case fromProjection:
		return takeOutputs(base, o.Outputs)
	}
	return nil, fmt.Errorf("a rule of kind %q, which this program does not know", o.Kind)
}

// checkParts refuses a list with a number out of range, or one that stands twice.
func checkParts(what string, parts []int, n int) error {
	seen := make([]bool, n)
	for _, p := range parts {
		if p < 0 || p >= n || seen[p] {
			return fmt.Errorf("%s %d of %d, out of range or named twice", what, p, n)
		}
		seen[p] = true
	}
	return nil
}

// full is the contents of a model as those of one that is not compressed or calibrated.
func full(m *model.Model) model.Contents {
	c := *m.Contents()
	c.Compression, c.Trust = nil, nil
	return c
}

func orderTrees(base *model.Model, order []int) (*model.Model, error) {
	if err := checkParts("tree", order, base.NumTrees()); err != nil {
		return nil, err
	}
	c := full(base)
	trees := slices.Clone(c.Trees)
	for i, from := range order {
		trees[i] = c.Trees[from]
	}
	c.Trees = trees
	return model.New(c)
}

// takeOutputs returns the model with some outputs, in an order.
func takeOutputs(base *model.Model, keep []int) (*model.Model, error) {
	if err := checkParts("output", keep, base.Outputs()); err != nil {
		return nil, err
	}
	old, c := full(base), full(base)
	c.Outputs, c.Trees, c.BaseScore, c.WideRounds = len(keep), nil, nil, nil
	place := map[int]int{}
	for i, k := range keep {
		c.BaseScore = append(c.BaseScore, old.BaseScore[k])
		place[k] = i
	}
	if old.Classes != nil && len(old.Classes) == old.Outputs {
		c.Classes = nil
		for _, k := range keep {
			c.Classes = append(c.Classes, old.Classes[k])
		}
	}
	for round := range base.Rounds() {
		for _, k := range keep {
			c.Trees = append(c.Trees, old.Trees[round*old.Outputs+k])
		}
	}
	for _, w := range old.WideRounds {
		if at, ok := place[w.Output]; ok {
			w.Output = at
			c.WideRounds = append(c.WideRounds, w)
		}
	}
	return model.New(c)
}

// The delta of new leaves is what a model is beside trees, cuts and levels, which are the base's,
// and the values:
//
//	uvarint S, S bytes: the .boost file of the model without trees, cuts and levels
//	1 byte: 0, all values; 1, single ones
//	single ones: uvarint count, as many uvarint distances from the index before, the first from −1, less one
//	float64 values
const (
	allValues    = 0
	singleValues = 1
)

// shell returns the model without what its trees and columns hold.
func shell(m *model.Model) (*model.Model, error) {
	c := full(m)
	if c.Segments != nil { // they are of rounds that are there, or before
		c.After += c.BestRound
	}
	c.Trees, c.BestRound = nil, 0
	return model.New(c.Narrow(model.KnownNames))
}

func leavesDelta(base, want *model.Model) ([]byte, error) {
	if want.Compressed() != nil {
		return nil, errors.New("a compressed model has leaves in few bits: such are kept as they are")
	}
	if !slices.Equal(leafCounts(base), leafCounts(want)) {
		return nil, errors.New("the models have other numbers of trees or leaves")
	}
	s, err := shell(want)
	if err != nil {
		return nil, err
	}
	data, err := s.Encode()
	if err != nil {
		return nil, err
	}
	out := append(binary.AppendUvarint(nil, uint64(len(data))), data...)
	old, leaves := base.Leaves(), want.Leaves()
	var steps []byte
	var values []float64
	before := -1
	for i, v := range leaves {
		if math.Float64bits(v) != math.Float64bits(old[i]) {
			steps = binary.AppendUvarint(steps, uint64(i-before-1))
			values = append(values, v)
			before = i
		}
	}
	if len(steps)+8*len(values) < 8*len(leaves) {
		out = binary.AppendUvarint(append(out, singleValues), uint64(len(values)))
		out = append(out, steps...)
	} else {
		out, values = append(out, allValues), leaves
	}
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

func applyLeaves(base *model.Model, data []byte) (*model.Model, error) {
	wrong := errors.New("a delta of leaves that cannot be")
	size, n := binary.Uvarint(data)
	if n <= 0 || size >= uint64(len(data)-n) {
		return nil, wrong
	}
	s, err := model.Decode(data[n : n+int(size)])
	if err != nil {
		return nil, err
	}
	data = data[n+int(size):]
	leaves := base.Leaves()
	single := data[0] == singleValues
	index := make([]int, 0, len(leaves))
	if data = data[1:]; single {
		count, n := binary.Uvarint(data)
		if n <= 0 || count > uint64(len(leaves)) {
			return nil, wrong
		}
		data = data[n:]
		at := -1
		for range count {
			step, n := binary.Uvarint(data)
			if n <= 0 || step >= uint64(len(leaves)-at-1) {
				return nil, wrong
			}
			at += int(step) + 1
			index, data = append(index, at), data[n:]
		}
	} else {
		for i := range leaves {
			index = append(index, i)
		}
	}
	if len(data) != 8*len(index) {
		return nil, wrong
	}
	for i, at := range index {
		leaves[at] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	c, b := full(s), base.Contents()
	if c.Segments != nil {
		c.After -= b.BestRound
	}
	c.Cuts, c.Trees, c.BestRound = b.Cuts, b.Trees, b.BestRound
	if c.Schema, err = levelsOf(c.Schema, b.Schema); err != nil {
		return nil, err
	}
	m, err := model.New(c)
	if err != nil {
		return nil, err
	}
	return m.WithLeaves(leaves)
}

// levelsOf returns a schema with the levels that the feature columns of another one have.
func levelsOf(to, from dataset.Schema) (dataset.Schema, error) {
	levels := map[string][]string{}
	for i := range from.Columns {
		if c := &from.Columns[i]; c.Role == dataset.Feature {
			levels[c.Name] = c.Levels
		}
	}
	to.Columns = slices.Clone(to.Columns)
	for i := range to.Columns {
		c := &to.Columns[i]
		if c.Role != dataset.Feature {
			continue
		}
		l, ok := levels[c.Name]
		if !ok {
			return to, fmt.Errorf("the base has no column %q", c.Name)
		}
		c.Levels = l
	}
	return to, nil
}
