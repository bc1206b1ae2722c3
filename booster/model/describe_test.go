package model_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"boost/booster/model"
)

func TestImportance(t *testing.T) {
	m := newSmall(t)
	for kind, want := range map[model.ImportanceKind][]model.FeatureImportance{
		model.ByGain:  {{"age", 8}, {"income", 1.5}, {"color", 2.5}},
		model.BySplit: {{"age", 1}, {"income", 1}, {"color", 1}},
		model.ByCover: {{"age", 9}, {"income", 9}, {"color", 5}},
	} {
		got, err := m.Importance(kind)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Importance(%s) = %v (%v), want %v", kind, got, err, want)
		}
	}
	if _, err := m.Importance("weight"); err == nil || !strings.Contains(err.Error(), "use gain, split or cover") {
		t.Errorf("Importance(weight) = %v, want an error that names the kinds", err)
	}
	if got := m.FeatureNames(); !slices.Equal(got, []string{"age", "income", "color"}) {
		t.Errorf("FeatureNames = %v", got)
	}
}

func TestDescribe(t *testing.T) {
	m := newSmall(t)
	d, err := m.Describe()
	if err != nil {
		t.Fatal(err)
	}
	sum, _ := m.SHA256()
	if d.SHA256 != sum || d.Bytes != len(encode(t, m)) {
		t.Errorf("Describe says %d bytes, sha256 %s", d.Bytes, d.SHA256)
	}
	if d.Rounds != 3 || d.Trees != 3 || d.Splits != 3 || d.Leaves != 6 || d.Depth != 2 {
		t.Errorf("Describe counts rounds %d trees %d splits %d leaves %d depth %d, want 3 3 3 6 2", d.Rounds, d.Trees, d.Splits, d.Leaves, d.Depth)
	}
	if d.Label != "y" || d.Weight != "" || !slices.Equal(d.ID, []string{"row"}) {
		t.Errorf("Describe names label %q, weight %q, id %q", d.Label, d.Weight, d.ID)
	}
	gain := func(g float64) *float64 { return &g }
	want := []model.FeatureDescription{
		{Name: "age", Kind: "float32", Cuts: 2, Codes: 3, Splits: 1, Gain: gain(8)},
		{Name: "income", Kind: "float64", Cuts: 1, Codes: 3, Gaps: true, Splits: 1, Gain: gain(1.5)},
		{Name: "color", Kind: "category", Levels: 3, Codes: 2, Splits: 1, Gain: gain(2.5)},
	}
	if !reflect.DeepEqual(d.Features, want) {
		t.Errorf("features %+v, want %+v", d.Features, want)
	}
	var bytes []int
	for _, s := range d.Sections {
		bytes = append(bytes, s.Bytes)
	}
	// 4+3·12+2·4+8+3·4; (4+8+5)+(4+12+12); 32+12+3·5+4+1; 6 leaves; 3 covers, 6 covers, 3 gains.
	if !slices.Equal(bytes, []int{68, 45, 64, 48, 84}) {
		t.Errorf("sections have %v bytes", bytes)
	}
	text, err := json.Marshal(d)
	if err != nil || !strings.Contains(string(text), `"values":[0.5,null,0.3333333333333333,0.5]`) {
		t.Errorf("JSON = %s (%v)", text, err)
	}
}

func TestDumpTrees(t *testing.T) {
	var b strings.Builder
	if err := newSmall(t).DumpTrees(&b); err != nil {
		t.Fatal(err)
	}
	want := `tree 0: round 0, 3 leaves
node 0: age ≤ 1.5  gain 8 cover 9
  yes: leaf 0 = -1  cover 4
  no: node 1: color in {green} or is missing  gain 2.5 cover 5
    yes: leaf 1 = 0.5  cover 3
    no: leaf 2 = 2  cover 2
tree 1: round 1, 2 leaves
node 0: income ≤ 10 or is missing  gain 1.5 cover 9
  yes: leaf 0 = 0.25  cover 6
  no: leaf 1 = -0.75  cover 3
tree 2: round 2, 1 leaves
leaf 0 = 0.125  cover 9
`
	if b.String() != want {
		t.Errorf("DumpTrees:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestDumpWords(t *testing.T) {
	c := smallContents()
	c.Trees[0].Code[0] = 2 // all present ages go left
	c.Trees[1].Code[0] = 1 // everything goes left
	c.Schema.Columns[3].Levels = []string{"dark {red}", "a\nb", ""}
	c.Cuts.Features[2].Codes = []uint32{0, 1, 1}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := m.DumpTrees(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"node 0: age is not missing  gain",
		"node 0: income has any value or is missing  gain",
		`color in {"a\nb", ""} or is missing`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("DumpTrees lacks %q:\n%s", want, b.String())
		}
	}
}
