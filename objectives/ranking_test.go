package objectives_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"boost/objectives"
)

// rankedRows are the rows of testdata/ranking.py, and the derivatives that peers have there; nil where they are not known.
type rankedRows struct {
	Sizes          []int
	Labels, Scores []float64
	Cases          []struct {
		Peer, Objective string
		Params          struct {
			Truncation int       `json:"lambdarank_truncation_level"`
			Pairs      int       `json:"lambdarank_num_pair_per_sample"`
			Norm       *bool     `json:"lambdarank_norm"`
			Sigmoid    float64   `json:"sigmoid"`
			LabelGain  []float64 `json:"label_gain"`
		}
		Grad, Hess []*float64
	}
}

// queriesOf returns the rows with which queries begin.
func queriesOf(sizes []int) []int {
	starts := []int{0}
	for _, n := range sizes {
		starts = append(starts, starts[len(starts)-1]+n)
	}
	return starts
}

func derivatives(o objectives.Objective, rows objectives.Rows, scores []float64) (grad, hess []float32) {
	grad, hess = make([]float32, len(scores)), make([]float32, len(scores))
	o.Gradients(rows, 0, len(scores), scores, grad, hess)
	return grad, hess
}

func readRanked(t *testing.T) *rankedRows {
	t.Helper()
	text, err := os.ReadFile("testdata/ranking.json")
	if err != nil {
		t.Fatal(err)
	}
	rows := new(rankedRows)
	if err := json.Unmarshal(text, rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// LightGBM takes the sigmoid from a table of steps of 7e-5, and XGBoost prints 9 digits.
func TestRankingGradientsOfPeers(t *testing.T) {
	ranked := readRanked(t)
	for i, c := range ranked.Cases {
		name, p := "lambdarank", objectives.Params{
			Truncation: max(c.Params.Truncation, c.Params.Pairs), Sigmoid: c.Params.Sigmoid, LabelGain: c.Params.LabelGain,
		}
		rows := objectives.Rows{Labels: slices.Clone(ranked.Labels), Queries: queriesOf(ranked.Sizes)}
		hessians := 1.0
		if c.Params.Norm != nil {
			p.Norm = "off"
		}
		if c.Peer == "xgboost" {
			p.Norm, hessians = "off", 2 // XGBoost doubles them
			if c.Objective == "rank:pairwise" {
				name = "pairwise"
			} else {
				p.Target = "map"
				for i, y := range rows.Labels {
					rows.Labels[i] = 0
					if y > 1 {
						rows.Labels[i] = 1
					}
				}
			}
		}
		o := made(t, name, p)
		if err := o.Check(rows); err != nil {
			t.Fatal(err)
		}
		grad, hess := derivatives(o, rows, ranked.Scores)
		compared := 0
		for row := range grad {
			if c.Grad[row] == nil {
				continue
			}
			compared++
			g, h := *c.Grad[row], *c.Hess[row]
			if math.Abs(float64(grad[row])-g) > 2e-5*(math.Abs(g)+0.1) || math.Abs(hessians*float64(hess[row])-h) > 2e-5*(math.Abs(h)+0.1) {
				t.Errorf("case %d, %s of %s, row %d: gradient %v, hessian %v, the peer has %v and %v", i, c.Objective, c.Peer, row, grad[row], hessians*float64(hess[row]), g, h)
			}
		}
		if compared < 140 {
			t.Errorf("case %d: %d rows were compared", i, compared)
		}
	}
}

// averagePrecision is the textbook's.
func averagePrecision(relevant []bool) float64 {
	hits, sum := 0.0, 0.0
	for i, yes := range relevant {
		if yes {
			hits++
			sum += hits / float64(i+1)
		}
	}
	return sum / hits
}

// A pair counts by what average precision loses or gains if the two change places: two rows apart from the others, so that only their pair has a
// gradient to speak of, would not show it; so all pairs are computed by hand.
func TestMapByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 9
	for range 20 {
		rows := objectives.Rows{Labels: make([]float64, n), Queries: []int{0, n}}
		scores, relevant := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i] = float64(n-i) / 4 // by rank already
			relevant[i] = r.IntN(2) == 0 || i == 4
			if relevant[i] {
				rows.Labels[i] = 1
			}
		}
		want := make([]float64, n)
		for i := range n {
			for j := i + 1; j < n; j++ {
				if relevant[i] == relevant[j] {
					continue
				}
				swapped := slices.Clone(relevant)
				swapped[i], swapped[j] = swapped[j], swapped[i]
				change := math.Abs(averagePrecision(swapped) - averagePrecision(relevant))
				high, low := i, j
				if relevant[j] {
					high, low = j, i
				}
				lambda := change / (1 + math.Exp(scores[high]-scores[low]))
				want[high] -= lambda
				want[low] += lambda
			}
		}
		grad, _ := derivatives(made(t, "lambdarank", objectives.Params{Target: "map", Norm: "off"}), rows, scores)
		for i := range n {
			if math.Abs(float64(grad[i])-want[i]) > 1e-6 {
				t.Errorf("%v, row %d: %v, want %v", relevant, i, grad[i], want[i])
			}
		}
	}
}

// LightGBM's formulas of rank_xendcg (rank_objective.hpp), with the draws that stand in the place of its own.
func TestXendcgByHand(t *testing.T) {
	ranked := readRanked(t)
	rows := objectives.Rows{Labels: ranked.Labels, Queries: queriesOf(ranked.Sizes), Seed: 5, Round: 3}
	o := made(t, "rank_xendcg", objectives.Params{})
	grad, hess := derivatives(o, rows, ranked.Scores)
	for q, lo := range rows.Queries[:len(ranked.Sizes)] {
		sum, g, h := 0.0, 0.0, 0.0
		for i := lo; i < rows.Queries[q+1]; i++ {
			sum += math.Exp(ranked.Scores[i])
			g += float64(grad[i])
		}
		for i := lo; i < rows.Queries[q+1] && ranked.Sizes[q] > 1; i++ {
			rho := math.Exp(ranked.Scores[i]) / sum
			h = rho * (1 - rho)
			if math.Abs(float64(hess[i])-h) > 1e-6 {
				t.Errorf("row %d: hessian %v, want %v", i, hess[i], h)
			}
		}
	}
	same, _ := derivatives(o, rows, ranked.Scores)
	rows.Round++
	other, _ := derivatives(o, rows, ranked.Scores)
	if !slices.Equal(grad, same) || slices.Equal(grad, other) {
		t.Error("gradients follow from seed, round and row")
	}
}

// All rankings at once and query by query give the same, weights multiply, and rows of one label have no gradients.
func TestRankingPieces(t *testing.T) {
	ranked := readRanked(t)
	for _, name := range []string{"lambdarank", "rank_xendcg", "pairwise"} {
		o := made(t, name, objectives.Params{})
		rows := objectives.Rows{Labels: ranked.Labels, Queries: queriesOf(ranked.Sizes), Seed: 1}
		grad, hess := derivatives(o, rows, ranked.Scores)
		n := len(ranked.Scores)
		g, h := make([]float32, n), make([]float32, n)
		pieces := objectives.Pieces(o, rows, 4)
		if !slices.Equal(pieces, []int{0, 6, 13, 25, 65, 70, 160}) {
			t.Errorf("pieces %v", pieces)
		}
		for i, lo := range pieces[:len(pieces)-1] {
			o.Gradients(rows, lo, pieces[i+1], ranked.Scores, g, h)
		}
		if !slices.Equal(g, grad) || !slices.Equal(h, hess) {
			t.Errorf("%s: pieces change the gradients", name)
		}
		rows.Weights = make([]float64, n)
		for i := range rows.Weights {
			rows.Weights[i] = float64(i % 3)
		}
		weighted, _ := derivatives(o, rows, ranked.Scores)
		for i := range weighted {
			if weighted[i] != grad[i]*float32(rows.Weights[i]) {
				t.Errorf("%s, row %d: %v, weight %v of %v", name, i, weighted[i], rows.Weights[i], grad[i])
			}
		}
	}
	plain := objectives.Rows{Labels: make([]float64, 10)}
	if pieces := objectives.Pieces(made(t, "regression", objectives.Params{}), plain, 4); !slices.Equal(pieces, []int{0, 4, 8, 10}) {
		t.Errorf("pieces %v", pieces)
	}
}

// Scores however far apart give finite derivatives.
func TestRankingFarScores(t *testing.T) {
	rows := objectives.Rows{Labels: []float64{0, 3, 1, 2, 0}, Queries: []int{0, 5}}
	for _, name := range []string{"lambdarank", "rank_xendcg", "pairwise"} {
		for _, far := range []float64{1, 1e3, 1e6, 1e100} {
			grad, hess := derivatives(made(t, name, objectives.Params{}), rows, []float64{far, -far, 0, far / 2, -far / 3})
			for i := range grad {
				if g, h := float64(grad[i]), float64(hess[i]); !(math.Abs(g) < 100 && h >= 0 && h < 100) {
					t.Errorf("%s, scores up to %v, row %d: %v and %v", name, far, i, g, h)
				}
			}
		}
	}
}

func TestRankingRefuses(t *testing.T) {
	two := []int{0, 2}
	for _, c := range []struct {
		name string
		rows objectives.Rows
		want string
	}{
		{"lambdarank", objectives.Rows{Labels: []float64{0, 1}}, "data.group"},
		{"pairwise", objectives.Rows{Labels: []float64{0, 1}}, "data.group"},
		{"rank_xendcg", objectives.Rows{Labels: []float64{0, 1}}, "data.group"},
		{"lambdarank", objectives.Rows{Labels: []float64{0, 31}, Queries: two}, "row 1: label 31, want how relevant"},
		{"lambdarank", objectives.Rows{Labels: []float64{.5, 1}, Queries: two}, "row 0: label 0.5"},
		{"rank_xendcg", objectives.Rows{Labels: []float64{-1, 1}, Queries: two}, "row 0: label -1"},
		{"lambdarank", objectives.Rows{Labels: []float64{0, 1}, Queries: []int{0, 1}}, "end at 2"},
		{"pairwise", objectives.Rows{Labels: []float64{0, math.NaN()}, Queries: two}, "row 1: label NaN"},
	} {
		if err := made(t, c.name, objectives.Params{}).Check(c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %+v: %v, want %q", c.name, c.rows, err, c.want)
		}
	}
	if _, err := objectives.New("lambdarank", objectives.Options{Params: objectives.Params{LabelGain: []float64{0, 3, 1}}}); err == nil {
		t.Error("gains that descend were taken")
	}
}
