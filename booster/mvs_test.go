package booster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"boost/booster"
	"boost/gradients"
	"boost/parallel"
)

// tree.min_data_in_leaf counts the rows of the bag, whatever these weigh: the leaves of a
// tree hold at least so many of the rows that the sampler draws from the first gradients.
func TestMvsLeavesCountRowsInTheBag(t *testing.T) {
	const rows, least = 3000, 40
	table := small(t, 5, rows, true)
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	weights, err := table.Weights()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"i16", "i8", "f32"} {
		t.Run(mode, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.MinDataInLeaf, p.Tree.Leaves = "regression", 1, least, 200
			p.Gradients, p.MvsFraction, p.MvsLambda, p.Verify = mode, 0.3, 0.5, true
			m, err := booster.Train(t.Context(), p, table)
			if err != nil {
				t.Fatal(err)
			}
			b := gradients.NewBuffer(rows, 1)
			for i := range labels {
				b.Grad[i], b.Hess[i] = float32((m.Contents().BaseScore[0]-labels[i])*weights[i]), float32(weights[i])
			}
			pool := parallel.NewPool(1)
			defer pool.Close()
			bag := gradients.NewBag(rows)
			gradients.NewMvs(rows, p.MvsFraction, p.MvsLambda, pool).Sample(bag, b, p.Seed, 0)
			leaves, err := m.PredictLeaf(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			held := make([]int, m.Contents().Trees[0].NumLeaves())
			for _, row := range bag.Block(0) {
				held[leaves[row]]++
			}
			fewest := rows
			for _, n := range held {
				fewest = min(fewest, n)
			}
			// Of 900 rows; a rule that went by weights would end elsewhere.
			if fewest < least || fewest > 2*least || len(held) < 8 {
				t.Errorf("the leaves hold %v rows of the bag, want at least %d, some little more", held, least)
			}
		})
	}
}

// Parameters that are stored where they are set leave other models as they were.
func TestMvsIsStoredWhereSet(t *testing.T) {
	table := small(t, 1, 300, false)
	for set, want := range map[bool]bool{false: false, true: true} {
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 1
		if set {
			p.MvsFraction, p.MvsLambda = 0.5, 0.25
		}
		m, err := booster.Train(t.Context(), p, table)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(m.Contents().Params), "mvs"); got != want {
			t.Errorf("set %v: parameters %s", set, m.Contents().Params)
		}
		again, err := booster.ParamsOf(m)
		if err != nil || again.MvsFraction != p.MvsFraction || again.MvsLambda != p.MvsLambda {
			t.Errorf("set %v: %v and %v are read back, error %v", set, again.MvsFraction, again.MvsLambda, err)
		}
		var stored map[string]any
		if err := json.Unmarshal(m.Contents().Params, &stored); err != nil || set && stored["sampling.mvs_lambda"] != 0.25 {
			t.Errorf("stored %v, error %v", stored, err)
		}
	}
}
