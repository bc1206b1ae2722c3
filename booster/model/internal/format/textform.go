package format

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"boost/binning"
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
		object := map[string]any{"name": Text(feature.Name).Form(), "missing": feature.HasMissing}
		switch feature.Kind {
		case binning.Categorical:
			object["codes"], object["regular"] = List(feature.Codes, levelCode), int(feature.Regular)
			if feature.Unnamed {
				object["unnamed"] = true
			}
			if len(feature.NameHashes) > 0 {
				object["marks"] = List(feature.NameHashes, func(m uint32) any { return int(m) })
			}
		case binning.Numeric32:
			// The shortest form of a float32 would be another float64.
			object["cuts"] = List(c.Cuts.Of32(f), func(v float32) any { return cutText(float64(v)) })
		default:
			object["cuts"] = List(c.Cuts.Of64(f), cutText)
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
		"feature": List(t.Feature, whole[int32]), "left": List(t.Left, whole[int32]), "right": List(t.Right, whole[int32]),
		"missing_left": List(t.MissingLeft, func(v bool) any { return v }), "leaf": List(t.Leaf, number),
	}
	// Of a numeric node the last code that goes left, of a categorical one the codes that do.
	split := make([]any, t.NumSplits())
	for n := range split {
		split[n] = int(t.Code[n])
		if t.Categorical[n] {
			split[n] = List(t.Set(n), whole[uint32])
		}
	}
	object["split"] = split
	if !t.NoStatistics() {
		object["cover"], object["leaf_cover"] = List(t.Cover, number), List(t.LeafCover, number)
		object["gain"] = List(t.Gain, func(v float32) any { return float64(v) })
	}
	return object
}

// The JSON form as it is read.
type TextForm struct {
	manifest
	Version     int         `json:"boost_model"`
	Features    featureList `json:"features"`
	Levels      levelsList  `json:"levels"`
	Trees       treeList    `json:"trees"`
	Compression *struct {
		compressionEntry
		// The sections of these names, not packed, in base64.
		Leaves []byte `json:"leaves"`
		Scales []byte `json:"scales"`
	} `json:"compression"`
}

type featureForm struct {
	Name    Text     `json:"name"`
	Missing bool     `json:"missing"`
	Regular uint32   `json:"regular"`
	Unnamed bool     `json:"unnamed"`
	Marks   codeList `json:"marks"`
	Codes   codeList `json:"codes"` // NoCode for null
	Cuts    cutList  `json:"cuts"`
}

type treeForm struct {
	Feature     []int32           `json:"feature"`
	Split       []json.RawMessage `json:"split"`
	MissingLeft []bool            `json:"missing_left"`
	Left        []int32           `json:"left"`
	Right       []int32           `json:"right"`
	Leaf        []float64         `json:"leaf"`
	Cover       []float64         `json:"cover"`
	LeafCover   []float64         `json:"leaf_cover"`
	Gain        []float32         `json:"gain"`
}

// Fill adds to the contents what is no part of a manifest.
func (f *TextForm) Fill(c *Contents) error {
	if c.Outputs < 1 {
		return fmt.Errorf("%d outputs", c.Outputs)
	}
	next := 0
	for i := range c.Schema.Columns {
		if c.Schema.Columns[i].Kind != dataset.Category {
			continue
		}
		if next == len(f.Levels) {
			return fmt.Errorf("the levels of column %q are missing", c.Schema.Columns[i].Name)
		}
		levels := make([]string, len(f.Levels[next]))
		for k, level := range f.Levels[next] {
			levels[k] = string(level)
		}
		c.Schema.Columns[i].Levels = levels
		next++
	}
	if next != len(f.Levels) {
		return fmt.Errorf("levels of %d columns for %d", len(f.Levels), next)
	}
	if err := f.cuts(c); err != nil {
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
		feature := binning.Feature{Name: string(form.Name), Kind: binning.KindOfColumn[column.Kind], HasMissing: form.Missing, Regular: uint32(len(form.Cuts)) + 1}
		for _, cut := range form.Cuts {
			if feature.Kind == binning.Numeric32 {
				c.Cuts.Values = append(c.Cuts.Values, float32(cut))
				if float64(float32(cut)) != cut {
					return fmt.Errorf("feature %q has a cut %v, which is no float32", feature.Name, cut)
				}
			} else {
				c.Cuts.Values64 = append(c.Cuts.Values64, cut)
			}
		}
		if feature.Kind == binning.Categorical {
			feature.Codes, feature.Regular = append([]uint32{}, form.Codes...), form.Regular
			feature.Unnamed, feature.NameHashes = form.Unnamed, form.Marks
		}
		c.Cuts.Features = append(c.Cuts.Features, feature)
		c.Cuts.Ptrs = append(c.Cuts.Ptrs, uint32(len(c.Cuts.Values)))
		c.Cuts.Ptrs64 = append(c.Cuts.Ptrs64, uint32(len(c.Cuts.Values64)))
	}
	return nil
}

// trees reads the trees. Where they are so short that they would take more memory than their text, each is
// checked before the first is kept.
func (f *TextForm) trees(c *Contents) error {
	if f.Trees == nil {
		return nil
	}
	count, err := countElements(f.Trees, len(`{"leaf":[0]}`), isObject)
	if err != nil || count < 1 {
		return err
	}
	if count*int(unsafe.Sizeof(tree.Tree{})) > len(f.Trees) {
		if err := f.Trees.each(c, func(t *tree.Tree) error { return t.Validate(Features(c.Cuts)) }); err != nil {
			return err
		}
	}
	c.Trees = make([]tree.Tree, 0, count)
	return f.Trees.each(c, func(t *tree.Tree) error {
		c.Trees = append(c.Trees, *t)
		return nil
	})
}

// treeList is the text of a list of trees.
type treeList []byte

func (l *treeList) UnmarshalJSON(b []byte) error {
	*l = b // a part of the text that is read, which nothing changes
	return nil
}

// each shows the trees one after another.
func (l treeList) each(c *Contents, show func(*tree.Tree) error) error {
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

func (f *treeForm) fill(t *tree.Tree, cuts *binning.Cuts) error {
	*t = tree.Tree{
		Feature: f.Feature, MissingLeft: f.MissingLeft, Left: f.Left, Right: f.Right, Leaf: f.Leaf,
		Cover: f.Cover, LeafCover: f.LeafCover, Gain: f.Gain,
		Code: make([]uint32, len(f.Split)), Categorical: make([]bool, len(f.Split)),
	}
	if len(f.Feature) != len(f.Split) {
		return fmt.Errorf("%d features for %d splits", len(f.Feature), len(f.Split))
	}
	for n, raw := range f.Split {
		feature := f.Feature[n]
		if feature < 0 || int(feature) >= len(cuts.Features) {
			return fmt.Errorf("node %d splits on feature %d of %d", n, feature, len(cuts.Features))
		}
		if cuts.Features[feature].Kind != binning.Categorical {
			if err := json.Unmarshal(raw, &t.Code[n]); err != nil {
				return fmt.Errorf("node %d has split %s, a code was expected", n, raw)
			}
			continue
		}
		var set []uint32
		if err := json.Unmarshal(raw, &set); err != nil || set == nil {
			return fmt.Errorf("node %d has split %s, a list of codes was expected", n, raw)
		}
		if len(t.SetPtrs) == 0 {
			t.SetPtrs = []uint32{0}
		}
		t.Categorical[n], t.Code[n] = true, uint32(len(t.SetPtrs)-1)
		t.Sets = append(t.Sets, set...)
		t.SetPtrs = append(t.SetPtrs, uint32(len(t.Sets)))
	}
	return nil
}
