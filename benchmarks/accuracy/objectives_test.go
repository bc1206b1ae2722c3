package accuracy_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/internal/testenv"
)

// otherPeers reads what the peers reach by other objectives.
func otherPeers(t *testing.T) (o accuracy.OtherRecord) {
	t.Helper()
	if err := harness.Read(filepath.Join("..", "accuracy_objectives.json"), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// A few cases of `make accuracy`: a loss with quantiles as leaves, one of small second derivatives with categories, one of counts with
// weights, one of queries, and one of small tables, on re-splits.
func TestObjectivesBesidePeers(t *testing.T) {
	folder, peers := shared(t), otherPeers(t)
	few := []string{"nycflights/quantile@0.9", "car_choice/lambdarank", "california_housing/mape", "msha_injuries/poisson", "taxis/quantile@0.9", "abalone/tweedie@1.5"}
	few = few[:testenv.UnlessShort(len(few), 2)]
	trainer := accuracy.Trainer{Threads: 2, Gradients: "i16"}
	for _, c := range accuracy.Cases() {
		if !slices.Contains(few, c.Name()) {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			s, err := accuracy.OpenCase(folder, c, peers)
			if err != nil {
				t.Fatal(err)
			}
			r, err := trainer.Run(t.Context(), s, 10)
			if err != nil {
				t.Fatal(err)
			}
			v := accuracy.Judge(map[string]accuracy.Result{c.Name(): r}, peers.Splits())
			if len(v.Large)+len(v.Small) != 1 || len(r.Reference.Peers) == 0 {
				t.Fatalf("nothing was judged: %+v", r)
			}
			t.Logf("%v, the peers have %v", r.Loss, r.Reference.Peers)
			for _, l := range v.Large {
				if !l.OK {
					t.Errorf("%v is %.4f times the loss of %s, the worst peer", r.Loss, l.ToWorst, l.Worst)
				}
			}
			for _, s := range v.Small {
				if !s.OK {
					t.Errorf("over re-splits %v, which is %v ± %v above %s, the worst peer", s.Ours, s.Difference.Mean, s.Difference.Error, s.Worst)
				}
			}
		})
	}
}

// The record behind docs/accuracy.md has every case, once, and no other.
func TestObjectivesRecord(t *testing.T) {
	var record accuracy.CaseRecord
	if err := harness.Read(filepath.Join("..", "results", "objectives.json"), &record); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range accuracy.Cases() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	if same := slices.Compact(slices.Clone(names)); len(same) != len(names) {
		t.Error("a case stands twice in the list")
	}
	if kept := slices.Sorted(maps.Keys(record.Cases)); !slices.Equal(kept, names) {
		t.Errorf("the record has %d cases, the list %d: run make accuracy", len(kept), len(names))
	}
}
