package report

import (
	"fmt"
	"io"
	"math"

	"boost/internal/format"
	"boost/ptq/compress"
)

// Comparison writes how two models compare, under the names of a and b.
func Comparison(w io.Writer, c *compress.Comparison, a, b string) error {
	rows := [][]string{{"leaves are not compared", c.Unlike}}
	if c.Unlike == "" {
		rows = leavesCompared(c)
	}
	if d := c.Data; d != nil {
		rows = append(rows, []string{"rows", format.Count(d.Rows)}, []string{"largest difference of raw scores", format.SixDigits(d.MaxRaw)},
			[]string{"largest difference of predictions", format.SixDigits(d.MaxPrediction)})
	}
	if err := format.Table(w, rows, "lr"); err != nil || c.Data == nil || len(c.Data.Metrics) == 0 {
		return err
	}
	rows = [][]string{{"metric", a, b, "change"}}
	for _, m := range c.Data.Metrics {
		change := format.Metric(m.Change())
		if r := m.Relative(); !math.IsNaN(r) && !math.IsInf(r, 0) {
			change = format.Share(r)
		}
		rows = append(rows, []string{m.Name, format.Metric(m.A), format.Metric(m.B), change})
	}
	return section(w, rows, "lrrr")
}

// leavesCompared words how far leaves are apart.
func leavesCompared(c *compress.Comparison) [][]string {
	splits := "the same"
	if !c.SameSplits {
		splits = "different"
	}
	rows := [][]string{
		{"trees", format.Count(c.Trees)}, {"splits", splits}, {"leaves", format.Count(c.Leaves)},
		{"cosine of the leaves", format.Cosine(c.Cosine)},
	}
	if at, undefined := lowestCosine(c.CosineByTree); at >= 0 {
		rows = append(rows, []string{fmt.Sprintf("lowest of a tree (tree %s)", format.Count(at)), format.Cosine(c.CosineByTree[at])})
		if undefined > 0 {
			rows = append(rows, []string{"trees of zeros only", format.Count(undefined)})
		}
	}
	return append(rows, []string{"mean squared difference", format.SixDigits(c.MSE)}, []string{"largest difference of leaves", format.SixDigits(c.MaxLeaf)})
}

// lowestCosine returns the tree with the lowest cosine, −1 where none is defined, and how many
// are not.
func lowestCosine(cosines []float64) (tree, undefined int) {
	tree = -1
	for i, c := range cosines {
		switch {
		case math.IsNaN(c):
			undefined++
		case tree < 0 || c < cosines[tree]:
			tree = i
		}
	}
	return tree, undefined
}

// Compared is what compare prints as JSON; null is undefined.
type Compared struct {
	Unlike       string                    `json:"unlike,omitempty"` // why leaves are not compared
	Trees        int                       `json:"trees"`
	Leaves       int                       `json:"leaves"`
	SameSplits   bool                      `json:"same_splits"`
	Cosine       *float64                  `json:"cosine"`
	CosineByTree []*float64                `json:"cosine_by_tree"`
	MSE          *float64                  `json:"mse"`
	MaxLeaf      *float64                  `json:"max_leaf"`
	Rows         *int                      `json:"rows,omitempty"`
	MaxRaw       *float64                  `json:"max_raw,omitempty"`
	MaxPredict   *float64                  `json:"max_prediction,omitempty"`
	Metrics      map[string]ComparedMetric `json:"metrics,omitempty"`
}

// ComparedMetric is a metric of both models.
type ComparedMetric struct {
	A      *float64 `json:"a"`
	B      *float64 `json:"b"`
	Change *float64 `json:"change"` // b − a
}

// NewCompared returns what compare prints as JSON.
func NewCompared(c *compress.Comparison) Compared {
	out := Compared{
		Unlike: c.Unlike, Trees: c.Trees, Leaves: c.Leaves, SameSplits: c.SameSplits, Cosine: format.Finite(c.Cosine), CosineByTree: []*float64{},
		MSE: format.Finite(c.MSE), MaxLeaf: format.Finite(c.MaxLeaf),
	}
	for _, cosine := range c.CosineByTree {
		out.CosineByTree = append(out.CosineByTree, format.Finite(cosine))
	}
	if d := c.Data; d != nil {
		out.Rows, out.MaxRaw, out.MaxPredict = &d.Rows, format.Finite(d.MaxRaw), format.Finite(d.MaxPrediction)
		out.Metrics = map[string]ComparedMetric{}
		for _, m := range d.Metrics {
			out.Metrics[m.Name] = ComparedMetric{format.Finite(m.A), format.Finite(m.B), format.Finite(m.Change())}
		}
	}
	return out
}
