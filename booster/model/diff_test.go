package model_test

import (
	"testing"

	"boost/booster/model"
)

func TestDiffSections(t *testing.T) {
	data := encode(t, newSmall(t))
	for _, c := range []struct {
		name, want string
		change     func(c *model.Contents)
	}{
		{"nothing", "", func(*model.Contents) {}},
		{"base score", "manifest: base_score", func(c *model.Contents) { c.BaseScore = []float64{1} }},
		{"history", "manifest: history", func(c *model.Contents) { c.History[0].Metric = "auc" }},
		{"cuts", "cuts", func(c *model.Contents) { c.Cuts.Values[0] = 1.25 }},
		{"levels", "dictionaries", func(c *model.Contents) { c.Schema.Columns[3].Levels[0] = "rot" }},
		{"split", "structure", func(c *model.Contents) { c.Trees[0].Code[0] = 1 }},
		{"leaf", "leaves", func(c *model.Contents) { c.Trees[2].Leaf[0] = 7 }},
		{"gain", "statistics", func(c *model.Contents) { c.Trees[1].Gain[0] = 7 }},
		{"leaf and gain", "leaves", func(c *model.Contents) { c.Trees[2].Leaf[0], c.Trees[1].Gain[0] = 7, 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			contents := smallContents()
			c.change(&contents)
			m, err := model.New(contents)
			if err != nil {
				t.Fatal(err)
			}
			if got := model.DiffSections(data, encode(t, m)); got != c.want {
				t.Errorf("DiffSections = %q, want %q", got, c.want)
			}
		})
	}
	if got := model.DiffSections(data, data[:100]); got != "file" {
		t.Errorf("DiffSections with a broken file = %q, want file", got)
	}
}
