package booster_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// steps is a small table: y is 1 where x is above 5.
func steps() (*dataset.Table, error) {
	var x, y []float64
	for i := range 200 {
		v := float64(i % 11)
		x = append(x, v)
		if v > 5 {
			y = append(y, 1)
		} else {
			y = append(y, 0)
		}
	}
	return dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
}

// A model is trained on a file, saved, loaded and used on another file.
func ExampleTrain() {
	ctx := context.Background()
	table, err := dataset.Open(ctx, filepath.Join("..", "examples", "wine_quality", "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Defaults()
	params.Objective, params.Rounds = "multiclass", 20
	trained, err := booster.Train(ctx, params, table)
	if err != nil {
		log.Fatal(err)
	}

	dir, err := os.MkdirTemp("", "boost")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wine.boost")
	if err := trained.Save(path); err != nil {
		log.Fatal(err)
	}

	loaded, err := model.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	test, err := dataset.Open(ctx, filepath.Join("..", "examples", "wine_quality", "test.csv.gz"), dataset.As(loaded.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	scores, err := loaded.Predict(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes:", loaded.Classes())
	fmt.Println("one probability per row and class:", len(scores) == test.NumRows()*loaded.Outputs())
	// Output:
	// classes: [3 4 5 6 7 8 9]
	// one probability per row and class: true
}

// Early stopping on a validation set, with progress.
func ExampleEarlyStop() {
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds = 3
	var report booster.Report
	_, err = booster.Train(context.Background(), params, table,
		booster.Valid("valid", table), booster.EarlyStop(10), booster.WithReport(&report),
		booster.OnRound(func(r booster.Round) {
			e := r.Evals[0]
			fmt.Printf("round %d: %s %s %.4f\n", r.Index+1, e.Set, e.Metric, e.Value)
		}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("objective:", report.Objective, "stopped:", report.Stopped)
	// Output:
	// round 1: valid logloss 0.5931
	// round 2: valid logloss 0.5156
	// round 3: valid logloss 0.4511
	// objective: binary stopped: rounds
}

// pseudoHuber is a loss of one's own: √(1+(s−y)²) − 1, for outliers.
type pseudoHuber struct{}

func (pseudoHuber) Name() string                                 { return "pseudo_huber" }
func (pseudoHuber) Outputs() int                                 { return 1 }
func (pseudoHuber) Link() objectives.Link                        { return objectives.Identity }
func (pseudoHuber) Check(objectives.Rows) error                  { return nil }
func (pseudoHuber) BaseScore(objectives.Rows) ([]float64, error) { return []float64{0}, nil }
func (pseudoHuber) Gradients(rows objectives.Rows, lo, hi int, scores []float64, grad, hess []float32) {
	for i := lo; i < hi; i++ {
		d := scores[i] - rows.Labels[i]
		root := math.Sqrt(1 + float64(d*d))
		grad[i] = float32(d / root)
		hess[i] = float32(1 / (root * root * root))
	}
}

// largestError is a metric of one's own.
type largestError struct{}

func (largestError) Name() string         { return "largest_error" }
func (largestError) HigherIsBetter() bool { return false }
func (largestError) Eval(in metrics.Input) float64 {
	worst := 0.0
	for i, y := range in.Labels {
		worst = max(worst, math.Abs(in.Values[i]-y))
	}
	return worst
}

// An objective and a metric of one's own.
func ExampleWithObjective() {
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds = 100
	var report booster.Report
	m, err := booster.Train(context.Background(), params, table,
		booster.WithObjective(pseudoHuber{}), booster.WithMetric(largestError{}), booster.WithReport(&report))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Contents().Objective, report.Metrics["train"]["largest_error"] < 0.01)
	// Output:
	// pseudo_huber true
}

// Training goes on where it ended: the same rows, 3 rounds and 3 more are 6.
func ExampleFrom() {
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	ctx, params := context.Background(), booster.Defaults()
	params.Rounds = 6
	whole, err := booster.Train(ctx, params, table)
	if err != nil {
		log.Fatal(err)
	}
	params.Rounds = 3
	first, err := booster.Train(ctx, params, table)
	if err != nil {
		log.Fatal(err)
	}
	more, err := booster.Train(ctx, params, table, booster.From(first))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(more.Rounds(), slices.Equal(more.Leaves(), whole.Leaves()))
	// Output:
	// 6 true
}

// The trees stay, their leaves move halfway to what new rows say.
func ExampleRefit() {
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	ctx, params := context.Background(), booster.Defaults()
	params.Objective, params.Rounds, params.LearningRate = "regression", 1, 1
	m, err := booster.Train(ctx, params, table)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "x", Values: []float64{1, 1, 9, 9}}, {Name: "y", Values: []float64{0, 0, 3, 3}},
	}, dataset.Label("y"))
	if err != nil {
		log.Fatal(err)
	}
	refitted, err := booster.Refit(ctx, m, rows, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	before, _ := m.Predict(ctx, rows)
	after, _ := refitted.Predict(ctx, rows)
	fmt.Printf("%.2f %.2f\n", before[3], after[3])
	// Output:
	// 1.00 2.00
}
