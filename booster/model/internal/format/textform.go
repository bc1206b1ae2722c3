package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"boost/binning"
	"boost/booster/model/internal/jsonform"
	"boost/dataset"
	"boost/tree"
)

// TextVersion is the version of the JSON form.
const TextVersion = 1

func number(v float64) any { return v }

func FeaturesText(c *Contents) []any {
	out := make([]any, len(c.Cuts.Features))
	for f := range out {
		feature := &c.Cuts.Features[f]
		object := map[string]any{"name": jsonform.Text(feature.Name).Form(), "missing": feature.HasMissing}
		switch feature.Kind {
		case binning.Categorical:
			object["codes"], object["regular"] = jsonform.List(feature.Codes, levelCode), int(feature.Regular)
			if feature.Unnamed {
				object["unnamed"] = true
			}
			if len(feature.NameHashes) > 0 {
				object["marks"] = jsonform.List(feature.NameHashes, func(m uint32) any { return int(m) })
			}
		case binning.Numeric32:
			// The shortest form of a float32 would be another float64.
			object["cuts"] = jsonform.List(c.Cuts.Of32(f), func(v float32) any { return cutText(float64(v)) })
		default:
			object["cuts"] = jsonform.List(c.Cuts.Of64(f), cutText)
		}
		out[f] = object
	}
	return out
}

// levelCode writes the code of a level, null for one without.
func levelCode(code uint32) any {
	if code == binning.NoCode {
		return nil
	}
	return int(code)
}

// cutText writes a cut; the lowest can be -Inf, which JSON has no number for.
func cutText(v float64) any {
	if math.IsInf(v, -1) {
		return "-inf"
	}
	return v
}

func whole[T ~int32 | ~uint32](v T) any { return int(v) }

func TreeText(t tree.Tree) any {
	object := map[string]any{
		"feature": jsonform.List(t.Feature, whole[int32]), "left": jsonform.List(t.Left, whole[int32]), "right": jsonform.List(t.Right, whole[int32]),
		"missing_left": jsonform.List(t.MissingLeft, func(v bool) any { return v }), "leaf": jsonform.List(t.Leaf, number),
	}
	// Of a numeric node the last code that goes left, of a categorical one the codes that do.
	split := make([]any, t.NumSplits())
	for n := range split {
		split[n] = int(t.Code[n])
		if t.Categorical[n] {
			split[n] = jsonform.List(t.Set(n), whole[uint32])
		}
	}
	object["split"] = split
	if l := t.Linear; l != nil {
		lengths := make([]any, len(l.Const))
		for leaf := range lengths {
			lengths[leaf] = int(l.Ptrs[leaf+1] - l.Ptrs[leaf])
		}
		object["linear"] = map[string]any{
			"lengths": lengths, "constant": jsonform.List(l.Const, number), "feature": jsonform.List(l.Feature, whole[int32]), "coefficient": jsonform.List(l.Coef, number),
		}
	}
	if !t.NoStatistics() {
		object["cover"], object["leaf_cover"] = jsonform.List(t.Cover, number), jsonform.List(t.LeafCover, number)
		object["gain"] = jsonform.List(t.Gain, func(v float32) any { return float64(v) })
	}
	return object
}

// The JSON form as it is read.
type TextForm struct {
	manifest
	Version     int         `json:"boost_model"`
	Features    featureList `json:"features"`
	Levels      levelsList  `json:"levels"`
	Trees       listText    `json:"trees"`
	Compression *struct {
		compressionEntry
		// The sections of these names, not packed, in base64.
		Leaves []byte `json:"leaves"`
		Scales []byte `json:"scales"`
	} `json:"compression"`
}

type featureForm struct {
	Name    jsonform.Text `json:"name"`
	Missing bool          `json:"missing"`
	Regular uint32        `json:"regular"`
	Unnamed bool          `json:"unnamed"`
	Marks   listText      `json:"marks"`
	Codes   listText      `json:"codes"` // NoCode for null
	Cuts    listText      `json:"cuts"`
}

type treeForm struct {
	Feature     listText    `json:"feature"`
	Split       listText    `json:"split"`
	MissingLeft listText    `json:"missing_left"`
	Left        listText    `json:"left"`
	Right       listText    `json:"right"`
	Leaf        listText    `json:"leaf"`
	Cover       listText    `json:"cover"`
	LeafCover   listText    `json:"leaf_cover"`
	Gain        listText    `json:"gain"`
	Linear      *linearForm `json:"linear"`
}

// Fill adds to the contents what is no part of a manifest.
func (f *TextForm) Fill(c *Contents) error {
	next := 0
	for i := range c.Schema.Columns {
		if c.Schema.Columns[i].Kind != dataset.Category {
			continue
		}
		if next == len(f.Levels) {
			return fmt.Errorf("the levels of column %q are missing", c.Schema.Columns[i].Name)
		}
		if c.Schema.Columns[i].Levels = f.Levels[next]; f.Levels[next] == nil {
			c.Schema.Columns[i].Levels = []string{}
		}
		next++
	}
	if next != len(f.Levels) {
		return fmt.Errorf("levels of %d columns for %d", len(f.Levels), next)
	}
	if err := f.cuts(c); err != nil {
		return err
	}
	if err := c.checkHead(); err != nil {
		return err
	}
	if err := f.trees(c); err != nil {
		return err
	}
	if f.Compression == nil {
		return nil
	}
	written := make([][]float64, len(c.Trees))
	for i := range c.Trees {
		written[i] = slices.Clone(c.Trees[i].Leaf)
	}
	sections := map[string][]byte{leavesSection: f.Compression.Leaves, scalesSection: f.Compression.Scales}
	if err := c.unpackLeaves(&f.Compression.compressionEntry, sections); err != nil {
		return err
	}
	for i := range c.Trees {
		if !slices.Equal(c.Trees[i].Leaf, written[i]) {
			return fmt.Errorf("the leaf values of tree %d are not those of the stored codes", i)
		}
	}
	return nil
}

func (f *TextForm) cuts(c *Contents) error {
	columns := c.FeatureColumns()
	if len(columns) != len(f.Features) {
		return fmt.Errorf("%d features for %d feature columns", len(f.Features), len(columns))
	}
	c.Cuts = &binning.Cuts{Ptrs: []uint32{0}, Ptrs64: []uint32{0}}
	for i, column := range columns {
		form := &f.Features[i]
		feature := binning.Feature{Name: string(form.Name), Kind: binning.KindOfColumn[column.Kind], HasMissing: form.Missing}
		var err error
		if feature.Kind == binning.Categorical {
			err = form.codes(&feature, len(column.Levels))
		} else {
			err = form.cuts(&feature, c.Cuts)
		}
		if err != nil {
			return fmt.Errorf("feature %q: %w", feature.Name, err)
		}
		c.Cuts.Features = append(c.Cuts.Features, feature)
		c.Cuts.Ptrs = append(c.Cuts.Ptrs, uint32(len(c.Cuts.Values)))
		c.Cuts.Ptrs64 = append(c.Cuts.Ptrs64, uint32(len(c.Cuts.Values64)))
	}
	return c.markOrdered(f.Ordered)
}

// cuts appends the cuts of a numeric feature. They rise: such as do not are refused before memory is made for them.
func (f *featureForm) cuts(feature *binning.Feature, to *binning.Cuts) error {
	if f.Marks != nil || f.Codes != nil {
		return errors.New("a numeric feature has codes of levels")
	}
	n, before := 0, math.Inf(-1)
	if f.Cuts != nil {
		if err := eachElement(f.Cuts, func(element []byte) error {
			var cut float64
			if err := readCut(element, &cut); err != nil {
				return err
			}
			if feature.Kind == binning.Numeric32 && float64(float32(cut)) != cut {
				return fmt.Errorf("it has a cut %v, which is no float32", cut)
			}
			if n > 0 && !(cut > before) {
				return fmt.Errorf("cut %d is %v: cuts must rise strictly", n, cut)
			}
			n, before = n+1, cut
			return nil
		}); err != nil {
			return err
		}
	}
	feature.Regular = uint32(n) + 1
	cuts, err := listOf(f.Cuts, isNumber+`"`, readCut)
	if feature.Kind != binning.Numeric32 {
		to.Values64 = append(to.Values64, cuts...)
		return err
	}
	for _, cut := range cuts {
		to.Values = append(to.Values, float32(cut))
	}
	return err
}

// codes reads the codes of a feature with so many levels.
func (f *featureForm) codes(feature *binning.Feature, levels int) (err error) {
	feature.Regular, feature.Unnamed = f.Regular, f.Unnamed
	if n, err := f.Codes.len(isNumber + orNull); err != nil || n != levels || f.Cuts != nil {
		return fmt.Errorf("%d codes for %d levels, or cuts beside them (%v)", n, levels, err)
	}
	if feature.Codes, err = listOf(f.Codes, isNumber+orNull, readCode); err != nil {
		return err
	}
	feature.Codes = append([]uint32{}, feature.Codes...)
	feature.NameHashes, err = listOf(f.Marks, isNumber, readCode)
	return err
}

// trees reads the trees. Where they are so short that they would take more memory than their text, each is
// checked before the first is kept.
func (f *TextForm) trees(c *Contents) error {
	count := 0
	if f.Trees != nil {
		var err error
		if count, err = countElements(f.Trees, len(`{"leaf":[0]}`), isObject); err != nil {
			return err
		}
	}
	if err := c.checkCount(uint64(max(count, 0))); err != nil || count < 1 {
		return err
	}
	if count*int(unsafe.Sizeof(tree.Tree{})) > len(f.Trees) {
		if err := eachTree(f.Trees, c, func(t *tree.Tree) error { return t.Validate(Features(c.Cuts)) }); err != nil {
			return err
		}
	}
	c.Trees = make([]tree.Tree, 0, count)
	return eachTree(f.Trees, c, func(t *tree.Tree) error {
		c.Trees = append(c.Trees, *t)
		return nil
	})
}

// eachTree shows the trees of a list one after another.
func eachTree(l listText, c *Contents, show func(*tree.Tree) error) error {
	i := 0
	return eachElement(l, func(text []byte) error {
		var form treeForm
		var t tree.Tree
		err := json.Unmarshal(text, &form)
		if err == nil {
			err = form.fill(&t, c.Cuts)
		}
		if err == nil {
			err = show(&t)
		}
		if err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		i++
		return nil
	})
}

// fill reads a tree after its lists are known to have the lengths of a tree's.
func (f *treeForm) fill(t *tree.Tree, cuts *binning.Cuts) error {
	splits, err := f.Feature.len(isNumber)
	if err != nil {
		return err
	}
	statistics := 0
	if f.LeafCover != nil {
		statistics = 1
	}
	for _, list := range []struct {
		name, begins string
		text         listText
		want         int
	}{
		{"split", isNumber + isList, f.Split, splits}, {"missing_left", "tf", f.MissingLeft, splits},
		{"left", isNumber, f.Left, splits}, {"right", isNumber, f.Right, splits}, {"leaf", isNumber, f.Leaf, splits + 1},
		{"cover", isNumber, f.Cover, statistics * splits}, {"leaf_cover", isNumber, f.LeafCover, statistics * (splits + 1)},
		{"gain", isNumber, f.Gain, statistics * splits},
	} {
		if n, err := list.text.len(list.begins); err != nil || n != list.want {
			return fmt.Errorf("%s has %d entries instead of %d (%v)", list.name, n, list.want, err)
		}
	}
	var errs [9]error
	t.Feature, errs[0] = listOf(f.Feature, isNumber, readIndex)
	t.MissingLeft, errs[1] = listOf(f.MissingLeft, "tf", readBool)
	t.Left, errs[2] = listOf(f.Left, isNumber, readIndex)
	t.Right, errs[3] = listOf(f.Right, isNumber, readIndex)
	t.Leaf, errs[4] = listOf(f.Leaf, isNumber, readNumber)
	t.Cover, errs[5] = listOf(f.Cover, isNumber, readNumber)
	t.LeafCover, errs[6] = listOf(f.LeafCover, isNumber, readNumber)
	t.Gain, errs[7] = listOf(f.Gain, isNumber, readNumber32)
	t.Linear, errs[8] = f.Linear.read(splits + 1)
	if err := errors.Join(errs[:]...); err != nil || f.Split == nil {
		return err
	}
	t.Code, t.Categorical = make([]uint32, splits), make([]bool, splits)
	n := 0
	return eachElement(f.Split, func(text []byte) error {
		err := readSplit(t, n, text, cuts)
		n++
		return err
	})
}

// readSplit reads the split of a node: a code, or of a categorical feature a set of codes.
func readSplit(t *tree.Tree, n int, text []byte, cuts *binning.Cuts) error {
	feature := t.Feature[n]
	if feature < 0 || int(feature) >= len(cuts.Features) {
		return fmt.Errorf("node %d splits on feature %d of %d", n, feature, len(cuts.Features))
	}
	if !cuts.Features[feature].BySets() {
		if err := readCode(text, &t.Code[n]); err != nil {
			return fmt.Errorf("node %d has split %.40s, a code was expected", n, text)
		}
		return nil
	}
	if text[0] != '[' {
		return fmt.Errorf("node %d has split %.40s, a list of codes was expected", n, text)
	}
	set, err := readList(text, 1, isNumber, readCode)
	if err != nil {
		return fmt.Errorf("node %d: %w", n, err)
	}
	if len(t.SetPtrs) == 0 {
		t.SetPtrs = []uint32{0}
	}
	t.Categorical[n], t.Code[n] = true, uint32(len(t.SetPtrs)-1)
	t.Sets = append(t.Sets, set...)
	t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	return nil
}
