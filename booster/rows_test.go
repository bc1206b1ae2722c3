package booster_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/tree"
)

// Validation rows are coded with the cuts of training: the metric that training
// reports on them is that of the saved model's predictions from raw values.
func TestValidationUsesTrainingCuts(t *testing.T) {
	t.Run("S0.1/e2e", func(t *testing.T) {
		ctx := context.Background()
		train := openShipped(t, "ames_housing")
		test, err := dataset.Open(ctx, filepath.Join("..", "examples", "ames_housing", "test.csv.gz"), dataset.As(train.Schema()), dataset.MissingOnly(""))
		if err != nil {
			t.Fatal(err)
		}
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 20
		var report booster.Report
		m, err := booster.Train(ctx, p, train, booster.Valid("valid", test), booster.WithReport(&report))
		if err != nil {
			t.Fatal(err)
		}
		values, err := m.Predict(ctx, test)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := test.NumericLabels()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, v := range values {
			sum += (v - labels[i]) * (v - labels[i])
		}
		got, want := report.Metrics["valid"]["rmse"], math.Sqrt(sum/float64(len(values)))
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("training reports rmse %v on the valid rows, predictions have %v", got, want)
		}
	})
}

func TestMoreCodesThanTwoBytesHold(t *testing.T) {
	t.Run("S1.2/e2e", func(t *testing.T) {
		const n, step = 70_000, 68_000
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i)
			if i >= step {
				y[i] = 1
			}
		}
		table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Leaves, p.Binning.MaxBin, p.Verify = "regression", 1, 2, 100_000, true
		for _, builder := range []string{"sequential", "feature", "row"} {
			p.Builder = builder
			m, err := booster.Train(context.Background(), p, table)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Contents().Cuts.Features[0].Regular; got != n {
				t.Fatalf("%d codes, want %d", got, n)
			}
			if got := m.Contents().Trees[0].Code[0]; got != step-1 {
				t.Errorf("builder %s splits after code %d, want %d", builder, got, step-1)
			}
		}
	})
}

// sharedSet is what the test needs of a data set's meta.json.
type sharedSet struct {
	Name        string   `json:"name"`
	Task        string   `json:"task"`
	Label       any      `json:"label"`
	Categorical []string `json:"categorical"`
	Ignore      []string `json:"ignore"`
}

// sameSplit reports whether node i of one tree splits as node j of another.
func sameSplit(a, b *tree.Tree, i, j int) bool {
	if a.Feature[i] != b.Feature[j] || a.MissingLeft[i] != b.MissingLeft[j] {
		return false
	}
	if a.Categorical[i] {
		return slices.Equal(a.Set(i), b.Set(j))
	}
	return a.Code[i] == b.Code[j]
}

// TestSameSplits compares the first trees of i16 and f32 on real tables, the shipped ones where others
// are not here.
func TestSameSplits(t *testing.T) {
	shared := os.Getenv("BOOST_SHARED")
	names := []string{"abalone", "adult", "breast_cancer", "california_housing", "digits", "german_credit",
		"lightgbm_binary", "mammography", "spambase", "taxis", "titanic", "wine_quality"}
	t.Run("S2.35/first_trees", func(t *testing.T) {
		tables, tasks := map[string]*dataset.Table{}, map[string]string{}
		if shared == "" {
			for _, set := range shipped {
				tables[set.name], tasks[set.name] = openShipped(t, set.name), set.objective
			}
		} else {
			for _, name := range names {
				table, set := openShared(t, name, "train.csv.gz")
				tables[name], tasks[name] = table, set.Task
			}
		}
		nodes, same := 0, 0
		for name, table := range tables {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.MaxDepth, p.Tree.Leaves = tasks[name], 1, 3, 8
			if p.Objective == "poisson" {
				p.Objective = "regression"
			}
			var models [2]*booster.Model
			for i, mode := range []string{"i16", "f32"} {
				p.Gradients = mode
				models[i] = train(t, p, table)
			}
			for k := range models[0].Contents().Trees {
				a, b := &models[0].Contents().Trees[k], &models[1].Contents().Trees[k]
				// Below a node that is split in two ways the trees have other rows; beside it they go on.
				var compare func(i, j int)
				compare = func(i, j int) {
					if nodes++; sameSplit(a, b, i, j) {
						same++
						for _, next := range [][2]int32{{a.Left[i], b.Left[j]}, {a.Right[i], b.Right[j]}} {
							if isLeaf := [2]bool{next[0] < 0, next[1] < 0}; isLeaf == [2]bool{false, false} {
								compare(int(next[0]), int(next[1]))
							} else if isLeaf[0] != isLeaf[1] {
								nodes++
								t.Logf("%s, tree %d: only one of the trees splits a child of node %d", name, k, i)
							}
						}
						return
					}
					if d := math.Abs(float64(a.Gain[i]-b.Gain[j])) / float64(b.Gain[j]); d > 0.001 {
						t.Errorf("%s, tree %d: node %d gains %v with i16, %v with f32: %.3f %% apart", name, k, i, a.Gain[i], b.Gain[j], 100*d)
					}
				}
				if len(a.Feature) == 0 || len(b.Feature) == 0 {
					t.Fatalf("%s, tree %d: %d and %d splits", name, k, len(a.Feature), len(b.Feature))
				}
				compare(0, 0)
			}
		}
		t.Logf("%d of %d nodes are the same split", same, nodes)
		if share := float64(same) / float64(nodes); share < 0.95 {
			t.Errorf("%d of %d nodes are the same split, want 95 %%", same, nodes)
		}
	})
}
