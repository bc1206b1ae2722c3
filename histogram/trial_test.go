package histogram_test

import (
	"slices"
	"testing"
	"time"

	"boost/histogram"
)

var (
	planA = histogram.Plan{Strategy: histogram.RowParallel, Mirror: true}
	planB = histogram.Plan{Strategy: histogram.FeatureParallel}
	planC = histogram.Plan{Strategy: histogram.Sequential, Mirror: true}
	planD = histogram.Plan{Strategy: histogram.Sequential, Mirror: true, Chunk: 2048}
)

// A trial is told times that are made up, in ns per update of a root of 1,000 and of
// 3,000 below it, and has to find the plan that these times speak for.
func TestTrial(t *testing.T) {
	always := map[histogram.Plan]float64{planA: 1, planB: 0.8, planC: 1.2}
	for _, c := range []struct {
		name  string
		plans []histogram.Plan
		times func(tree int, p histogram.Plan) (root, rest float64)
		want  histogram.Plan
		trees string // plans of the trees
	}{
		{"the fastest wins", []histogram.Plan{planA, planB, planC}, func(_ int, p histogram.Plan) (float64, float64) {
			return always[p], always[p]
		}, planB, "A ABC ABC ABC"},
		{"a little is not enough", []histogram.Plan{planB, planA}, func(_ int, p histogram.Plan) (float64, float64) {
			return 1 - 0.08*float64(p.Strategy/2), 1 - 0.08*float64(p.Strategy/2) // A takes 0.92 of B
		}, planB, "B BA BA BA"},
		{"a slow moment", []histogram.Plan{planA, planB}, func(tree int, p histogram.Plan) (float64, float64) {
			if tree == 4 { // B's second
				return 30, 30
			}
			return always[p], always[p]
		}, planB, "A AB AB AB"},
		{"a slow first tree", []histogram.Plan{planA, planC}, func(tree int, p histogram.Plan) (float64, float64) {
			if tree == 0 {
				return 100, 100
			}
			return always[p], always[p]
		}, planA, "A AC AC AC"},
		{"far slower", []histogram.Plan{planA, planC, planB}, func(_ int, p histogram.Plan) (float64, float64) {
			return 2 * always[p], always[p] + 10*max(0, always[p]-1) // C: 3.2 below
		}, planB, "A ACB AB AB"},
		{"all others far slower", []histogram.Plan{planA, planB, planC}, func(_ int, p histogram.Plan) (float64, float64) {
			if p == planA {
				return 1, 1
			}
			return 2, 2
		}, planA, "A ABC"},
		// 0.25 of the updates at 0.5 and 0.75 of them at 1.3 are 1.1.
		{"scattered rows count", []histogram.Plan{planA, planB}, func(_ int, p histogram.Plan) (float64, float64) {
			if p == planA {
				return 1, 1
			}
			return 0.5, 1.3
		}, planA, "A AB AB AB"},
		{"roots alone", []histogram.Plan{planA, planB}, func(_ int, p histogram.Plan) (float64, float64) {
			return always[p], 0 // nothing below
		}, planB, "A AB AB AB"},
		// C's root takes 1.6 of A's, which ends it, whatever it would take below.
		{"given up at the root", []histogram.Plan{planA, planC, planB}, func(_ int, p histogram.Plan) (float64, float64) {
			if p == planC {
				return 1.6, 0.1
			}
			return always[p], 3 * always[p]
		}, planB, "A ACB AB AB"},
		{"its like is not tried", []histogram.Plan{planA, planC, planD, planB}, func(_ int, p histogram.Plan) (float64, float64) {
			if p == planC {
				return 1.6, 0.1
			}
			return always[p], always[p]
		}, planB, "A ACB AB AB"},
		{"its like is tried where it was slow below only", []histogram.Plan{planA, planC, planD}, func(_ int, p histogram.Plan) (float64, float64) {
			if p == planC {
				return 1.2, 3
			}
			return 1, 1
		}, planA, "A ACD AD AD"},
		{"one plan", []histogram.Plan{planB}, nil, planB, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := histogram.NewTrial(c.plans, histogram.MostTurns)
			var trees []histogram.Plan
			for !trial.Done() {
				if len(trees) == histogram.TrialTrees(len(c.plans), histogram.MostTurns) {
					t.Fatalf("not done after %d trees", len(trees))
				}
				p := trial.Plan()
				root, rest := c.times(len(trees), p)
				if trial.AddRoot(1000, time.Duration(1000*root)) {
					if trial.Plan() != c.plans[0] {
						t.Fatalf("tree %d goes on by %v", len(trees), trial.Plan())
					}
					_, rest = c.times(len(trees), c.plans[0])
				}
				if rest > 0 {
					trial.Add(1000, time.Duration(1000*rest))
					trial.Add(2000, time.Duration(2000*rest))
				}
				trial.Next()
				trees = append(trees, p)
			}
			if got := trial.Plan(); got != c.want {
				t.Errorf("%v wins, want %v; costs %v", got, c.want, trial.Costs())
			}
			var want []histogram.Plan
			for _, letter := range c.trees {
				if letter != ' ' {
					want = append(want, map[rune]histogram.Plan{'A': planA, 'B': planB, 'C': planC, 'D': planD}[letter])
				}
			}
			if !slices.Equal(trees, want) {
				t.Errorf("trees by %v, want %v", trees, want)
			}
		})
	}
}

// A tree that has no root to add up shows nothing of its plan, which is tried again.
func TestTrialWithoutPasses(t *testing.T) {
	trial := histogram.NewTrial([]histogram.Plan{planA, planB}, histogram.MostTurns)
	for tree, want := range []histogram.Plan{planA, planA, planA, planB, planB, planA} {
		if got := trial.Plan(); got != want {
			t.Errorf("tree %d is grown by %v, want %v", tree, got, want)
		}
		if tree != 0 && tree != 3 {
			trial.AddRoot(10, 10)
		}
		trial.Next()
	}
}

// A trial of two turns ends after them.
func TestTrialOfTwoTurns(t *testing.T) {
	plans := []histogram.Plan{planA, planB}
	trial := histogram.NewTrial(plans, histogram.LeastTurns)
	var trees []histogram.Plan
	for !trial.Done() {
		p := trial.Plan()
		trees = append(trees, p)
		took := time.Duration(1000)
		if p == planB {
			took = 850
		}
		if len(trees) == 3 { // a slow moment in B's first turn
			took = 1400
		}
		trial.AddRoot(1000, took)
		trial.Next()
	}
	if want := []histogram.Plan{planA, planA, planB, planA, planB}; !slices.Equal(trees, want) || len(trees) != histogram.TrialTrees(2, 2) {
		t.Errorf("trees by %v, want %v", trees, want)
	}
	if got := trial.Plan(); got != planB {
		t.Errorf("%v wins, want %v; costs %v", got, planB, trial.Costs())
	}
}

func TestPlanNames(t *testing.T) {
	for p, want := range map[histogram.Plan]string{
		planA: "row by rows", planB: "feature", {Strategy: histogram.RowParallel, Chunk: 2048}: "row, 2048 at a time",
	} {
		if p.String() != want {
			t.Errorf("%q, want %q", p.String(), want)
		}
	}
}
