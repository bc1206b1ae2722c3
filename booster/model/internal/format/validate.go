package format

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"boost/binning"
	"boost/booster/model/internal/jsonform"
	"boost/booster/model/internal/packed"
	"boost/dataset"
	"boost/objectives"
)

// Check gives the contents the form that is stored, and reports whether they are a model's.
func (c *Contents) Check() error {
	if err := c.checkHead(); err != nil {
		return err
	}
	return c.checkBody()
}

// normalize gives the parts that have several spellings the one that is stored.
func (c *Contents) normalize() error {
	params, err := jsonform.CanonicalObject(c.Params)
	if err != nil {
		return fmt.Errorf("model: parameters: %w", err)
	}
	c.Params = params
	history := slices.Clone(c.History)
	for i := range history {
		history[i].Values = nullNotFinite(history[i].Values)
	}
	c.History = history
	segments := make([]Segment, len(c.Segments))
	for i, s := range c.Segments {
		if segments[i].Params, err = jsonform.CanonicalObject(s.Params); err != nil {
			return fmt.Errorf("model: parameters of segment %d: %w", i, err)
		}
		segments[i].Rounds = s.Rounds
	}
	c.Segments = segments
	if c.Origin != nil {
		o := *c.Origin
		o.Tables = slices.DeleteFunc(slices.Clone(o.Tables), func(print string) bool { return print == c.Fingerprint })
		slices.Sort(o.Tables)
		o.Tables = slices.Compact(o.Tables)
		c.Origin = &o
	}
	return nil
}

// nullNotFinite returns values with null for those that are not finite: the same slice if there are none.
func nullNotFinite(values []*float64) []*float64 {
	cloned := false
	for i, v := range values {
		if v == nil || !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			continue
		}
		if !cloned {
			values, cloned = slices.Clone(values), true
		}
		values[i] = nil
	}
	return values
}

// checkHead checks all but the trees and what goes with them, and brings it into the form that files have.
func (c *Contents) checkHead() error {
	if err := c.normalize(); err != nil {
		return err
	}
	return firstError(c.checkOutputs, c.checkClasses, c.checkSchema, c.checkCuts, c.checkRecords, c.checkOrigin, c.checkTrust)
}

// checkBody checks the trees, and how the leaf values of a compressed model are kept.
func (c *Contents) checkBody() error { return firstError(c.checkTrees, c.checkCompression) }

func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	return nil
}

// mostOutputs is how many outputs a model may have; training gives it 10,000 at most.
const mostOutputs = 1 << 16

func (c *Contents) checkOutputs() error {
	if c.Objective == "" {
		return errors.New("no objective")
	}
	if _, err := objectives.ParseLink(string(c.Link)); err != nil {
		return err
	}
	if c.Outputs < 1 || c.Outputs > mostOutputs {
		return fmt.Errorf("%d outputs", c.Outputs)
	}
	if len(c.BaseScore) != c.Outputs {
		return fmt.Errorf("%d base scores for %d outputs", len(c.BaseScore), c.Outputs)
	}
	for k, s := range c.BaseScore {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("base score %d is %v", k, s)
		}
	}
	return nil
}

func (c *Contents) checkClasses() error {
	if c.Classes == nil {
		if c.NumericClasses {
			return errors.New("numeric classes, but no classes")
		}
		return nil
	}
	if want := max(c.Outputs, 2); len(c.Classes) != want {
		return fmt.Errorf("%d classes for %d outputs", len(c.Classes), c.Outputs)
	}
	if name, twice := repeated(c.Classes); twice {
		return fmt.Errorf("class %q stands twice", name)
	}
	if !c.NumericClasses {
		return nil
	}
	for _, name := range c.Classes {
		if _, err := strconv.ParseFloat(name, 64); err != nil {
			return fmt.Errorf("class %q is not a number", name)
		}
	}
	return nil
}

func (c *Contents) checkSchema() error {
	if err := c.Schema.Written.Check(); err != nil {
		return err
	}
	var ids []string
	names := make([]string, 0, len(c.Schema.Columns))
	for i := range c.Schema.Columns {
		s := &c.Schema.Columns[i]
		// A column can be a feature and passed through as an id as well.
		if s.Role == dataset.IDRole {
			ids = append(ids, s.Name)
		} else {
			names = append(names, s.Name)
		}
		if int(s.Role) >= len(roleNames) {
			return fmt.Errorf("column %q has unknown role %d", s.Name, s.Role)
		}
		if int(s.Kind) >= len(KindNames) {
			return fmt.Errorf("column %q has unknown kind %d", s.Name, s.Kind)
		}
		if s.Kind != dataset.Category && (len(s.Levels) > 0 || s.NumericLevels) {
			return fmt.Errorf("column %q has levels but kind %s", s.Name, KindNames[s.Kind])
		}
		if s.Written != "" {
			if err := dataset.CheckForm(s.Written); err != nil {
				return fmt.Errorf("column %q: %w", s.Name, err)
			}
		}
		if err := c.checkCrossed(s); err != nil {
			return err
		}
		if level, twice := repeated(s.Levels); twice {
			return fmt.Errorf("column %q has level %q twice", s.Name, level)
		}
	}
	if labels := len(c.Labels()); labels > 1 && (labels != c.Outputs || c.Classes != nil) {
		return fmt.Errorf("%d labels for %d outputs and %d classes", labels, c.Outputs, len(c.Classes))
	}
	for _, list := range [][]string{names, ids} {
		if name, twice := repeated(list); twice {
			return fmt.Errorf("column %q stands twice", name)
		}
	}
	return nil
}

// checkCrossed makes sure that a crossed column is made of one or two features that are not.
func (c *Contents) checkCrossed(s *dataset.ColumnSchema) error {
	if s.Crossed == nil {
		return nil
	}
	sources := 0
	for i := range c.Schema.Columns {
		if of := &c.Schema.Columns[i]; of.Role == dataset.Feature && of.Crossed == nil && slices.Contains(s.Crossed, of.Name) {
			sources++
		}
	}
	if s.Role != dataset.Feature || s.Kind != dataset.Category || s.NumericLevels || sources == 0 || len(s.Crossed) != sources || sources > 2 {
		return fmt.Errorf("column %q is crossed of %q, which are not one or two features of the model", s.Name, s.Crossed)
	}
	return nil
}

// repeated returns the first name that stands for the second time. It takes 8 to 16 bytes for each.
func repeated(names []string) (string, bool) {
	// A hash table: where a name's hash points, or at the next free place, is its number and one.
	table := make([]uint32, 1<<bits.Len(uint(2*len(names))))
	mask, seed := uint64(len(table)-1), maphash.MakeSeed()
	for i, name := range names {
		at := maphash.String(seed, name) & mask
		for ; table[at] != 0; at = (at + 1) & mask {
			if names[table[at]-1] == name {
				return name, true
			}
		}
		table[at] = uint32(i) + 1
	}
	return "", false
}

// FeatureColumns returns the schema's columns with role Feature, in order.
func (c *Contents) FeatureColumns() []*dataset.ColumnSchema {
	n := 0
	for i := range c.Schema.Columns {
		if c.Schema.Columns[i].Role == dataset.Feature {
			n++
		}
	}
	columns := make([]*dataset.ColumnSchema, 0, n)
	for i := range c.Schema.Columns {
		if c.Schema.Columns[i].Role == dataset.Feature {
			columns = append(columns, &c.Schema.Columns[i])
		}
	}
	return columns
}

func (c *Contents) checkCuts() error {
	if c.Cuts == nil {
		return errors.New("no cuts")
	}
	columns := c.FeatureColumns()
	if len(c.Cuts.Features) != len(columns) {
		return fmt.Errorf("cuts of %d features, but the schema has %d feature columns", len(c.Cuts.Features), len(columns))
	}
	if err := checkPtrs("Ptrs", c.Cuts.Ptrs, len(columns), len(c.Cuts.Values)); err != nil {
		return err
	}
	if err := checkPtrs("Ptrs64", c.Cuts.Ptrs64, len(columns), len(c.Cuts.Values64)); err != nil {
		return err
	}
	for f, column := range columns {
		if err := c.checkFeature(f, column); err != nil {
			return fmt.Errorf("feature %q: %w", column.Name, err)
		}
	}
	return nil
}

func checkPtrs(name string, ptrs []uint32, features, values int) error {
	if len(ptrs) != features+1 {
		return fmt.Errorf("%s of the cuts has %d entries for %d features", name, len(ptrs), features)
	}
	if ptrs[0] != 0 || uint64(ptrs[features]) != uint64(values) {
		return fmt.Errorf("%s of the cuts runs from %d to %d over %d values", name, ptrs[0], ptrs[features], values)
	}
	for f := range features {
		if ptrs[f+1] < ptrs[f] {
			return fmt.Errorf("%s of the cuts falls at feature %d", name, f)
		}
	}
	return nil
}

func (c *Contents) checkFeature(f int, column *dataset.ColumnSchema) error {
	feature := &c.Cuts.Features[f]
	cuts32, cuts64 := c.Cuts.Of32(f), c.Cuts.Of64(f)
	if feature.Name != column.Name {
		return fmt.Errorf("its cuts are named %q", feature.Name)
	}
	kind, ok := binning.KindOfColumn[column.Kind]
	if !ok || kind != feature.Kind {
		return fmt.Errorf("a column of kind %s cannot have cuts of kind %d", KindNames[column.Kind], feature.Kind)
	}
	if feature.Kind != binning.Numeric32 && len(cuts32) > 0 || feature.Kind != binning.Numeric64 && len(cuts64) > 0 {
		return errors.New("it has cuts of another kind of feature")
	}
	if feature.Kind == binning.Categorical {
		return packed.CheckCodes(feature, len(column.Levels))
	}
	if len(feature.Codes) > 0 {
		return errors.New("a numeric feature has category codes")
	}
	if !feature.NamesAll() {
		return errors.New("a numeric feature has levels that are not listed")
	}
	count := len(cuts32) + len(cuts64)
	if uint64(feature.Regular) != uint64(count)+1 {
		return fmt.Errorf("%d cuts make %d codes, not %d", count, count+1, feature.Regular)
	}
	if i := firstUnordered(cuts32); i >= 0 {
		return fmt.Errorf("cut %d is %v: cuts must rise strictly and stay below +Inf", i, cuts32[i])
	}
	if i := firstUnordered(cuts64); i >= 0 {
		return fmt.Errorf("cut %d is %v: cuts must rise strictly and stay below +Inf", i, cuts64[i])
	}
	return nil
}

// firstUnordered returns the index of the first cut that is NaN, +Inf or not above
// the one before it, -1 if there is none.
func firstUnordered[T float32 | float64](cuts []T) int {
	for i, x := range cuts {
		if x != x || float64(x) > math.MaxFloat64 || i > 0 && !(x > cuts[i-1]) {
			return i
		}
	}
	return -1
}

// checkCount checks how many trees there are.
func (c *Contents) checkCount(trees uint64) error {
	if outputs := uint64(c.Outputs); c.BestRound < 0 || trees%outputs != 0 || trees/outputs != uint64(c.BestRound) {
		return fmt.Errorf("%d trees for %d rounds of %d outputs", trees, c.BestRound, c.Outputs)
	}
	return nil
}

func (c *Contents) checkTrees() error {
	if err := c.checkCount(uint64(len(c.Trees))); err != nil {
		return err
	}
	features := Features(c.Cuts)
	for i := range c.Trees {
		if err := c.Trees[i].Validate(features); err != nil {
			return inTree(err, i, c.Outputs)
		}
		if l := c.Trees[i].Linear; l != nil {
			for _, f := range l.Feature {
				if c.Cuts.Features[f].Kind == binning.Categorical { // one in order of its levels has codes as numbers have
					return inTree(fmt.Errorf("a leaf has a coefficient of %q, which has levels", c.Cuts.Features[f].Name), i, c.Outputs)
				}
			}
		}
	}
	return nil
}

func (c *Contents) checkRecords() error {
	curves := make([]string, len(c.History))
	for i, h := range c.History {
		if h.Set == "" || h.Metric == "" {
			return fmt.Errorf("history %d lacks the name of its set or metric", i)
		}
		curves[i] = h.Metric + " on " + h.Set
	}
	if curve, twice := repeated(curves); twice {
		return fmt.Errorf("history has %s twice", curve)
	}
	for i, w := range c.WideRounds {
		if w.Round < 0 || w.Output < 0 || w.Output >= c.Outputs || w.Gradients != WideI16 && w.Gradients != WideI32 {
			return fmt.Errorf("wide round %d is round %d, output %d, gradients %q", i, w.Round, w.Output, w.Gradients)
		}
	}
	merged := c.Origin != nil && (c.Origin.How == Merged || c.Origin.How == Pruned) // a merged one may have been pruned
	for i, print := range append([]string{c.Fingerprint}, c.ValidPrints...) {
		if !isHex(print, 32) && !(merged && i == 0 && print == "") {
			return fmt.Errorf("data fingerprint %d is %q: 32 hex digits expected", i, print)
		}
	}
	if c.NumericsVersion < 1 {
		return fmt.Errorf("numerics version %d", c.NumericsVersion)
	}
	return nil
}

func isHex(s string, digits int) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == digits
}
