package model_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/tree"
)

func TestNewChecksEverything(t *testing.T) {
	newSmall(t)
	for _, c := range []struct {
		name, want string
		spoil      func(c *model.Contents)
	}{
		{"objective", "no objective", func(c *model.Contents) { c.Objective = "" }},
		{"link", "link", func(c *model.Contents) { c.Link = "cosine" }},
		{"outputs", "0 outputs", func(c *model.Contents) { c.Outputs = 0 }},
		{"base scores", "2 base scores", func(c *model.Contents) { c.BaseScore = []float64{1, 2} }},
		{"base score NaN", "base score 0 is NaN", func(c *model.Contents) { c.BaseScore = []float64{math.NaN()} }},
		{"class count", "3 classes", func(c *model.Contents) { c.Classes = []string{"a", "b", "c"} }},
		{"class twice", "stands twice", func(c *model.Contents) { c.Classes = []string{"a", "a"} }},
		{"class no number", `class "no" is not a number`, func(c *model.Contents) { c.NumericClasses = true }},
		{"numeric classes without classes", "no classes", func(c *model.Contents) { c.Classes, c.NumericClasses = nil, true }},
		{"params array", "parameters", func(c *model.Contents) { c.Params = json.RawMessage("[1]") }},
		{"params null", "parameters", func(c *model.Contents) { c.Params = json.RawMessage("null") }},
		{"params absent", "parameters", func(c *model.Contents) { c.Params = nil }},
		{"params twice", "parameters", func(c *model.Contents) { c.Params = json.RawMessage("{} {}") }},
		{"column twice", `column "age" stands twice`, func(c *model.Contents) { c.Schema.Columns[1].Name = "age" }},
		{"role", "unknown role", func(c *model.Contents) { c.Schema.Columns[1].Role = 9 }},
		{"kind", "unknown kind", func(c *model.Contents) { c.Schema.Columns[1].Kind = 9 }},
		{"level twice", `level "red" twice`, func(c *model.Contents) { c.Schema.Columns[3].Levels = []string{"red", "red", "x"} }},
		{"levels of a number", "has levels", func(c *model.Contents) { c.Schema.Columns[0].Levels = []string{"x"} }},
		{"text feature", "cannot have cuts", func(c *model.Contents) { c.Schema.Columns[0].Kind = dataset.Text }},
		{"kind against cuts", "cannot have cuts", func(c *model.Contents) { c.Schema.Columns[0].Kind = dataset.Float64 }},
		{"no cuts", "no cuts", func(c *model.Contents) { c.Cuts = nil }},
		{"feature count", "3 feature columns", func(c *model.Contents) { c.Cuts.Features = c.Cuts.Features[:2] }},
		{"feature name", `named "income"`, func(c *model.Contents) { c.Cuts.Features[0].Name = "income" }},
		{"pointer count", "Ptrs of the cuts has 3", func(c *model.Contents) { c.Cuts.Ptrs = c.Cuts.Ptrs[:3] }},
		{"pointer end", "Ptrs64 of the cuts runs", func(c *model.Contents) { c.Cuts.Ptrs64[3] = 2 }},
		{"pointer falls", "falls at feature", func(c *model.Contents) { c.Cuts.Ptrs = []uint32{0, 3, 2, 2} }},
		{"cuts of another kind", "another kind", func(c *model.Contents) { c.Cuts.Ptrs = []uint32{0, 1, 2, 2}; c.Cuts.Features[0].Regular = 2 }},
		{"cuts equal", "rise strictly", func(c *model.Contents) { c.Cuts.Values = []float32{2.5, 2.5} }},
		{"cut NaN", "cut 0 is NaN", func(c *model.Contents) { c.Cuts.Values64 = []float64{math.NaN()} }},
		{"cut Inf", "cut 1 is +Inf", func(c *model.Contents) { c.Cuts.Values[1] = float32(math.Inf(1)) }},
		{"code count", "make 3 codes, not 4", func(c *model.Contents) { c.Cuts.Features[0].Regular = 4 }},
		{"codes of a number", "has category codes", func(c *model.Contents) { c.Cuts.Features[0].Codes = []uint32{1} }},
		{"codes against levels", "2 codes for 3 levels", func(c *model.Contents) { c.Cuts.Features[2].Codes = []uint32{0, 1} }},
		{"more codes than levels", "4 codes for 3 levels", func(c *model.Contents) { c.Cuts.Features[2].Regular = 4 }},
		{"category code", "level 1 has code 2 of 2", func(c *model.Contents) { c.Cuts.Features[2].Codes[1] = 2 }},
		{"rounds", "3 trees for 4 rounds", func(c *model.Contents) { c.BestRound = 4 }},
		{"tree", "tree 1 (round 1, output 0): invalid tree: node 0", func(c *model.Contents) { c.Trees[1].Code[0] = 2 }},
		{"history name", "lacks the name", func(c *model.Contents) { c.History[0].Metric = "" }},
		{"history twice", "logloss on valid twice", func(c *model.Contents) { c.History = append(c.History, c.History[0]) }},
		{"wide round", "wide round 0", func(c *model.Contents) { c.WideRounds[0].Output = 1 }},
		{"fingerprint", "32 hex digits", func(c *model.Contents) { c.Fingerprint = "xyz" }},
		{"fingerprint of a valid set", "fingerprint 1", func(c *model.Contents) { c.ValidPrints[0] = "" }},
		{"numerics", "numerics version 0", func(c *model.Contents) { c.NumericsVersion = 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			contents := smallContents()
			c.spoil(&contents)
			_, err := model.New(contents)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("New = %v, want an error with %q", err, c.want)
			}
			if errors.Is(err, model.ErrModel) {
				t.Error("a mistake of the trainer must not read as a damaged file")
			}
		})
	}
}

func TestNewNormalizes(t *testing.T) {
	c := smallContents()
	inf, nan := math.Inf(1), math.NaN()
	c.History[0].Values = []*float64{&inf, &nan}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if v := m.Contents().History[0].Values; v[0] != nil || v[1] != nil {
		t.Errorf("history = %v, want nulls where it is not finite", v)
	}
	want := `{"train.rounds":4,"train.seed":1,"tree":{"lambda_l2":0.10,"leaves":3}}`
	if got := string(m.Contents().Params); got != want {
		t.Errorf("params = %s, want %s", got, want)
	}
}

// A column may be a feature and an id at once; an all-missing category has no level
// but one code.
func TestNewAccepts(t *testing.T) {
	c := smallContents()
	c.Schema.Columns[4].Name = "age"
	c.Schema.Columns[3].Levels = nil
	c.Cuts.Features[2] = binning.Feature{Name: "color", Kind: binning.Categorical, Regular: 1, HasMissing: true}
	c.Trees[0] = tree.Tree{Leaf: []float64{1}, LeafCover: []float64{1}}
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Decode(encode(t, m)); err != nil {
		t.Error(err)
	}
}
