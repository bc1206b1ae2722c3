package metrics_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"boost/objectives/metrics"
	"boost/parallel"
)

// rankedRows are the rows of testdata/ranking.py.
type rankedRows struct {
	Sizes                   []int
	Labels, Scores, Weights []float64
	Figures                 []struct {
		Metric, Peer     string
		Want             float64
		Weighted, Binary bool
	}
}

// input returns the rows as a metric gets them; of two classes, labels above 1 are the second.
func (r *rankedRows) input(weighted, binary bool) metrics.Input {
	in := metrics.Input{Outputs: 1, Values: r.Scores, Labels: slices.Clone(r.Labels), Queries: []int{0}}
	for _, size := range r.Sizes {
		in.Queries = append(in.Queries, in.Queries[len(in.Queries)-1]+size)
	}
	if weighted {
		in.Weights = r.Weights
	}
	if binary {
		for i, y := range in.Labels {
			in.Labels[i] = 0
			if y > 1 {
				in.Labels[i] = 1
			}
		}
	}
	return in
}

func TestRankingPeers(t *testing.T) {
	text, err := os.ReadFile("testdata/ranking.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows rankedRows
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, f := range rows.Figures {
		got := eval(t, f.Metric, rows.input(f.Weighted, f.Binary))
		within := 1e-12
		if f.Peer == "lightgbm" && metrics.Base(f.Metric) == "map" {
			within = 1e-7 // shares are float32 there
		}
		if math.Abs(got-f.Want) > within {
			t.Errorf("%s, weighted %v, two classes %v: %v, %s has %v", f.Metric, f.Weighted, f.Binary, got, f.Peer, f.Want)
		}
	}
	if len(rows.Figures) != 56 {
		t.Errorf("%d figures", len(rows.Figures))
	}
}

func TestRankingByHand(t *testing.T) {
	list := func(x ...float64) []float64 { return x }
	third := 1 / math.Log2(3)
	for _, c := range []struct {
		name, metric string
		in           metrics.Input
		want         float64
	}{
		{"one_wrong_pair", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(0, 1), Queries: []int{0, 2}}, third},
		{"ties_in_order", "ndcg@1", metrics.Input{Values: list(1, 1), Labels: list(0, 1), Queries: []int{0, 2}}, 0},
		{"minus_0_is_0", "ndcg@1", metrics.Input{Values: list(math.Copysign(0, -1), 0), Labels: list(1, 0), Queries: []int{0, 2}}, 1},
		{"nearest_numbers", "ndcg@1", metrics.Input{Values: list(1, math.Nextafter(1, 2)), Labels: list(0, 1), Queries: []int{0, 2}}, 1},
		{"nothing_relevant", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(0, 0), Queries: []int{0, 2}}, 1},
		{"list_of_gains", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(1, 2), Gains: list(0, 1, 10), Queries: []int{0, 2}}, (1 + 10*third) / (10 + third)},
		{"no_gain_for_a_label", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(1, 3), Gains: list(0, 1, 10), Queries: []int{0, 2}}, math.NaN()},
		{"half_a_label", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(0.5, 1), Queries: []int{0, 2}}, (math.Sqrt2 - 1 + third) / (1 + (math.Sqrt2-1)*third)},
		{"below_0", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(-1, 1), Queries: []int{0, 2}}, math.NaN()},
		{"nan", "ndcg", metrics.Input{Values: list(2, math.NaN()), Labels: list(0, 1), Queries: []int{0, 2}}, math.NaN()},
		{"no_queries", "ndcg", metrics.Input{Values: list(2, 1), Labels: list(0, 1)}, math.NaN()},
		{"shares", "map", metrics.Input{Values: list(4, 3, 2, 1), Labels: list(0, 1, 0, 1), Queries: []int{0, 4}}, (1./2 + 2./4) / 2},
		{"first", "mrr", metrics.Input{Values: list(4, 3, 2, 1), Labels: list(0, 1, 0, 1), Queries: []int{0, 4}}, 1. / 2},
		{"too_low", "mrr@1", metrics.Input{Values: list(4, 3, 2, 1), Labels: list(0, 1, 0, 1), Queries: []int{0, 4}}, 0},
		{"mean_weight_of_a_query", "mrr", metrics.Input{
			Values: list(2, 1, 5), Labels: list(0, 1, 1), Weights: list(1, 3, 6), Queries: []int{0, 2, 3}}, (2*.5 + 6*1) / 8},
	} {
		c.in.Outputs = 1
		if got := eval(t, c.metric, c.in); math.Abs(got-c.want) > 1e-15 && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s of %s: %v, want %v", c.metric, c.name, got, c.want)
		}
	}
}

// Raw scores rank what the link makes equal.
func TestRanksRawScores(t *testing.T) {
	in := metrics.Input{Outputs: 1, Raw: []float64{80, 90}, Values: []float64{1, 1}, Labels: []float64{0, 1}, Queries: []int{0, 2}}
	if got := eval(t, "ndcg", in); got != 1 {
		t.Errorf("ndcg %v, want 1", got)
	}
}

// The same bits for every number of threads.
func TestRankingThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	in := metrics.Input{Outputs: 1, Queries: []int{0}}
	for len(in.Labels) < 20_000 {
		for range 1 + r.IntN(200) {
			in.Labels = append(in.Labels, float64(r.IntN(5)))
			in.Values = append(in.Values, math.Floor(r.NormFloat64()*30))
			in.Weights = append(in.Weights, r.Float64())
		}
		in.Queries = append(in.Queries, len(in.Labels))
	}
	for _, name := range []string{"ndcg", "ndcg@5", "map@10", "mrr"} {
		want := eval(t, name, in)
		if !(want > 0 && want < 1) {
			t.Errorf("%s: %v", name, want)
		}
		for _, threads := range []int{1, 2, 3, 8} {
			pool := parallel.NewPool(threads)
			withPool := in
			withPool.Pool = pool
			if got := eval(t, name, withPool); got != want {
				t.Errorf("%s in %d threads: %v, want %v", name, threads, got, want)
			}
			pool.Close()
		}
	}
}
