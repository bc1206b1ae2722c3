package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"boost/tensorq"
)

// Rule says how a tensor is made again when its data is gone (S3.51 to S3.53). Rules
// are Discard, Delta, Scale, Permutation, Projection and Custom.
type Rule interface {
	// normal checks the rule by itself and brings it into the form that is stored, with
	// the bytes that belong to it.
	normal(id string, shape []int, quant tensorq.QuantConfig) (*rule, []byte, error)
}

// Discard gives the values up for good: the tensor reads as zeros, or not at all with
// FailFast.
type Discard struct{}

// Delta makes value i Base's value i plus a difference. The differences are given for all
// values (Dense) or for some (Index ascending, and Value).
type Delta struct {
	Base  string
	Dense []float32 // stored in blocks of Bits
	Bits  int       // of Dense; 0 = 8
	Index []int
	Value []float32 // stored as they are
}

// Scale makes value i By times the value i of Of.
type Scale struct {
	Of string
	By float32
}

// Permutation takes the parts of Of along an axis in another order: part i is part
// Order[i] of Of. Runs of neighbours are stored, in 2 to 10 bytes each: 1 MiB of them at most, which is the
// order of some 260,000 parts of which no two stay together.
type Permutation struct {
	Of    string
	Axis  int
	Order []int
}

// Projection takes some parts of Of along an axis: part i is part Keep[i] of Of. Keep
// may have none twice. It is stored, and bounded, as the order of a Permutation is.
type Projection struct {
	Of   string
	Axis int
	Keep []int
}

// Custom is a rule that a function of Options.Rules executes.
type Custom struct {
	Of     string
	Name   string
	Params []byte
}

// CustomRule executes the rules of a name.
type CustomRule struct {
	// Make writes the values of a tensor of a shape to out, from those of another. It
	// has to make the same of the same, and keeps none of the slices.
	Make func(base []float32, baseShape []int, params []byte, shape []int, out []float32) error
	// Gain is the most by which a change of a base's value changes a value.
	Gain float64
}

type ruleKind uint8

const (
	noRule ruleKind = iota
	ruleDiscard
	ruleSparse
	ruleDense
	ruleScale
	rulePermutation
	ruleProjection
	ruleCustom
)

// rule is a Rule as it is stored. It does not change once it is part of a tensor.
type rule struct {
	kind ruleKind
	ref  string
	by   float32
	axis int
	runs []run // of parts of the base that follow each other
	name string

	// limit is the largest difference with which the rule may replace data. In force,
	// it is the bound that the base had when it did.
	limit float64
	// Of a rule in force: what the base was, and the largest magnitude made of it.
	baseSum uint32
	peak    float32
}

type run struct{ start, length int }

func (r *rule) refers() bool { return r != nil && r.kind != ruleDiscard }

// gain is the most by which a change of a value of the base changes a value.
func (r *rule) gain(custom map[string]CustomRule) float64 {
	switch r.kind {
	case ruleScale:
		return math.Abs(float64(r.by))
	case ruleCustom:
		if c, ok := custom[r.name]; ok {
			return c.Gain
		}
		return math.Inf(1)
	}
	return 1
}

// maxRef is the longest id in bytes.
const maxRef = 255

func checkRef(id, ref string) error {
	switch {
	case ref == "" || len(ref) > maxRef:
		return about(id, fmt.Errorf("the rule refers to an id of %d bytes: expected 1 to %d", len(ref), maxRef))
	case ref == id:
		return about(id, ErrCycle)
	}
	return nil
}

func (Discard) normal(string, []int, tensorq.QuantConfig) (*rule, []byte, error) {
	return &rule{kind: ruleDiscard}, nil, nil
}

func (d Delta) normal(id string, shape []int, quant tensorq.QuantConfig) (*rule, []byte, error) {
	if err := checkRef(id, d.Base); err != nil {
		return nil, nil, err
	}
	n := product(shape)
	if d.Dense == nil {
		data, err := encodeSparse(d.Index, d.Value, n)
		if err != nil {
			return nil, nil, &ShapeError{id, err.Error()}
		}
		return &rule{kind: ruleSparse, ref: d.Base}, data, nil
	}
	if len(d.Dense) != n || d.Index != nil || d.Value != nil {
		return nil, nil, &ShapeError{id, fmt.Sprintf("a delta of %d dense and %d single differences for %d values: expected one for each, or single ones", len(d.Dense), len(d.Index), n)}
	}
	width := d.Bits
	if width == 0 {
		width = 8
	}
	data, err := tensorq.EncodeSegment(d.Dense, width, quant)
	if err != nil {
		return nil, nil, about(id, err)
	}
	return &rule{kind: ruleDense, ref: d.Base}, data, nil
}

func (s Scale) normal(id string, _ []int, _ tensorq.QuantConfig) (*rule, []byte, error) {
	if by := float64(s.By); math.IsNaN(by) || math.IsInf(by, 0) {
		return nil, nil, about(id, fmt.Errorf("a rule that multiplies by %v: expected a finite number", s.By))
	}
	return &rule{kind: ruleScale, ref: s.Of, by: s.By}, nil, checkRef(id, s.Of)
}

func (p Permutation) normal(id string, shape []int, _ tensorq.QuantConfig) (*rule, []byte, error) {
	if err := checkParts(id, shape, p.Axis, p.Order); err != nil {
		return nil, nil, err
	}
	if slices.Max(p.Order) != len(p.Order)-1 {
		return nil, nil, &ShapeError{id, fmt.Sprintf("an order of %d parts that names part %d: expected each of 0 … %d once", len(p.Order), slices.Max(p.Order), len(p.Order)-1)}
	}
	return &rule{kind: rulePermutation, ref: p.Of, axis: p.Axis, runs: runsOf(p.Order)}, nil, checkRef(id, p.Of)
}

func (p Projection) normal(id string, shape []int, _ tensorq.QuantConfig) (*rule, []byte, error) {
	if err := checkParts(id, shape, p.Axis, p.Keep); err != nil {
		return nil, nil, err
	}
	return &rule{kind: ruleProjection, ref: p.Of, axis: p.Axis, runs: runsOf(p.Keep)}, nil, checkRef(id, p.Of)
}

func (c Custom) normal(id string, _ []int, _ tensorq.QuantConfig) (*rule, []byte, error) {
	if c.Name == "" || len(c.Name) > maxRef {
		return nil, nil, about(id, fmt.Errorf("a rule whose name has %d bytes: expected 1 to %d", len(c.Name), maxRef))
	}
	return &rule{kind: ruleCustom, ref: c.Of, name: c.Name}, slices.Clone(c.Params), checkRef(id, c.Of)
}

// checkParts checks a list of different parts along an axis of the shape that is made.
func checkParts(id string, shape []int, axis int, parts []int) error {
	if axis < 0 || axis >= len(shape) || len(parts) != shape[axis] {
		return &ShapeError{id, fmt.Sprintf("a rule with %d parts along axis %d for shape %v", len(parts), axis, shape)}
	}
	sorted := slices.Sorted(slices.Values(parts))
	if sorted[0] < 0 || sorted[len(sorted)-1] > maxValues {
		return &ShapeError{id, fmt.Sprintf("a rule that names part %d or %d: expected parts of 0 … %d", sorted[0], sorted[len(sorted)-1], maxValues)}
	}
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return &ShapeError{id, fmt.Sprintf("a rule that names part %d twice", sorted[i])}
		}
	}
	return nil
}

func runsOf(parts []int) []run {
	var runs []run
	for _, p := range parts {
		if last := len(runs) - 1; last >= 0 && runs[last].start+runs[last].length == p {
			runs[last].length++
			continue
		}
		runs = append(runs, run{p, 1})
	}
	return runs
}

// fits checks the rule against the shape of its base, as far as it needs one.
func (r *rule) fits(id string, shape, base []int) error {
	wrong := func() error {
		return &ShapeError{id, fmt.Sprintf("its rule cannot make shape %v from shape %v of tensor %q", shape, base, r.ref)}
	}
	switch r.kind {
	case ruleSparse, ruleDense, ruleScale:
		if !slices.Equal(shape, base) {
			return wrong()
		}
	case rulePermutation, ruleProjection:
		if r.axis >= len(shape) || len(shape) != len(base) {
			return wrong()
		}
		total := 0
		for _, run := range r.runs {
			if run.start > base[r.axis]-run.length {
				return wrong()
			}
			total += run.length
		}
		for i := range shape {
			if i == r.axis && total != shape[i] || i != r.axis && shape[i] != base[i] {
				return wrong()
			}
		}
		if r.kind == rulePermutation && base[r.axis] != shape[r.axis] {
			return wrong()
		}
	}
	return nil
}

// sameShape reports whether the base's values may be written where those that are made go.
func (r *rule) sameShape() bool {
	return r.kind == ruleSparse || r.kind == ruleDense || r.kind == ruleScale
}

// execute makes the values of a shape from those of the base, which are out's where
// sameShape says so.
func (r *rule) execute(id string, base []float32, baseShape []int, data []byte, shape []int, out []float32, custom map[string]CustomRule) error {
	switch r.kind {
	case ruleSparse:
		return addSparse(id, data, out)
	case ruleDense:
		return addDense(id, data, out)
	case ruleScale:
		for i, v := range out {
			out[i] = finite(v * r.by)
		}
	case rulePermutation, ruleProjection:
		inner := product(shape[r.axis+1:])
		outer := product(shape[:r.axis])
		step := baseShape[r.axis] * inner
		at := 0
		for o := range outer {
			for _, run := range r.runs {
				from := o*step + run.start*inner
				at += copy(out[at:], base[from:from+run.length*inner])
			}
		}
	case ruleCustom:
		c, ok := custom[r.name]
		if !ok {
			return about(id, fmt.Errorf("no function for rules called %q: give it in Options.Rules", r.name))
		}
		if err := c.Make(base, baseShape, data, shape, out); err != nil {
			return about(id, fmt.Errorf("rule %q: %w", r.name, err))
		}
	}
	return nil
}

// finite is a result, or the largest float32 instead of an infinite one: of a base that is in fewer bits now a rule
// may make more than there is, and what was put was finite, so that this is nearer.
func finite(x float32) float32 { return max(-math.MaxFloat32, min(math.MaxFloat32, x)) }

// Single differences are their number, that many distances from the index before (the
// first from −1) less one, and the values:
//
//	4 count, then count × uvarint, then count × float32
func encodeSparse(index []int, value []float32, n int) ([]byte, error) {
	if len(index) != len(value) {
		return nil, fmt.Errorf("a delta of %d indexes and %d differences: expected as many", len(index), len(value))
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(index)))
	before := -1
	for _, i := range index {
		if i <= before || i >= n {
			return nil, fmt.Errorf("a delta with index %d after %d in %d values: expected indexes in ascending order, below %d", i, before, n, n)
		}
		b = binary.AppendUvarint(b, uint64(i-before-1))
		before = i
	}
	for i, v := range value {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("difference %d of a delta is %v: expected a finite number", i, v)
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b, nil
}

// addSparse adds single differences to out. Nothing is added if the bytes are wrong.
func addSparse(id string, b []byte, out []float32) error {
	wrong := func(text string) error { return &RecordError{id, "differences: " + text} }
	if len(b) < 4 {
		return wrong("no count")
	}
	count := int64(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if int64(len(b)) < 5*count {
		return wrong("fewer than counted")
	}
	values := b[int64(len(b))-4*count:]
	steps := b[:int64(len(b))-4*count]
	for pass := range 2 { // the first only checks
		rest, at := steps, -1
		for i := range int(count) {
			step, n := binary.Uvarint(rest)
			if n <= 0 || step >= uint64(len(out)-at-1) {
				return wrong("an index beyond the last value")
			}
			rest = rest[n:]
			at += int(step) + 1
			if pass == 1 {
				out[at] = finite(out[at] + math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:])))
			}
		}
		if len(rest) != 0 {
			return wrong("bytes that belong to nothing")
		}
	}
	return nil
}

// addDense adds the values of a segment to out.
func addDense(id string, b []byte, out []float32) error {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	if err := d.begin(b, len(out)); err != nil {
		return about(id, err)
	}
	for rest := out; len(rest) > 0; {
		block, err := d.next()
		if err != nil {
			return about(id, err)
		}
		for i, v := range block {
			rest[i] = finite(rest[i] + v)
		}
		rest = rest[len(block):]
	}
	return nil
}

// maxValues is the most values of a tensor: what a segment can hold.
const maxValues = 1 << 30

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
