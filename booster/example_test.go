package booster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/ptq"
	"boost/ptq/compress"
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

// A model is trained on a file and predicts another file.
func ExampleTrain() {
	ctx, folder := context.Background(), filepath.Join("..", "examples", "wine_quality")
	table, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	m, err := booster.Train(ctx, booster.Params{Objective: "multiclass", Rounds: 20}, table)
	if err != nil {
		log.Fatal(err)
	}
	test, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), dataset.As(m.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	scores, err := m.Predict(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes:", m.Classes())
	fmt.Println("one probability per row and class:", len(scores) == test.NumRows()*m.Outputs())
	// Output:
	// classes: [3 4 5 6 7 8 9]
	// one probability per row and class: true
}

// A saved model predicts what it predicted before.
func ExampleLoadModel() {
	rows, err := dataset.FromRows([][]float64{{1, 10}, {2, 20}, {3, 30}, {4, 40}}, "x", "y")
	if err != nil {
		log.Fatal(err)
	}
	table, err := rows.WithLabel("y")
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds, params.LearningRate, params.Objective = 1, 1, "regression"
	params.Tree.MinDataInLeaf = 1
	m, err := booster.Train(context.Background(), params, table)
	if err != nil {
		log.Fatal(err)
	}

	folder, err := os.MkdirTemp("", "boost")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.boost")
	if err := m.Save(path); err != nil {
		log.Fatal(err)
	}
	loaded, err := booster.LoadModel(path)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := loaded.Predict(context.Background(), table)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", scores)

	_, err = booster.LoadModel(filepath.Join(folder, "other.boost"))
	fmt.Println(errors.Is(err, model.ErrModel))
	// Output:
	// [10.0 20.0 30.0 40.0]
	// true
}

// A service loads a model once and scores a row per request. The model is safe for concurrent use.
func ExampleModel_PredictRow() {
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "hours", Values: []int{10, 20, 30, 40, 50, 60}},
		{Name: "shift", Values: []string{"day", "day", "night", "day", "night", "night"}},
		{Name: "pay", Values: []float64{100, 200, 350, 400, 550, 650}},
	}, dataset.Label("pay"))
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Defaults()
	params.Objective, params.Rounds, params.LearningRate, params.Tree.MinDataInLeaf = "regression", 1, 1, 1
	m, err := booster.Train(context.Background(), params, table)
	if err != nil {
		log.Fatal(err)
	}

	handler := func(w http.ResponseWriter, r *http.Request) {
		var row map[string]any
		if err := json.NewDecoder(r.Body).Decode(&row); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		prediction, err := m.PredictRow(row)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "%.1f\n", prediction[0])
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	defer server.Close()
	for _, body := range []string{`{"hours": 39, "shift": "night"}`, `{"hours": "many", "shift": null}`} {
		answer, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			log.Fatal(err)
		}
		answer.Body.Close()
		fmt.Printf("%d %s", answer.StatusCode, text)
	}
	// Output:
	// 200 400.0
	// 400 column "hours": "many" is not a number, and the model has numbers in this column
}

// Leaves in 8 bits make the file smaller. What that costs is measured on rows that the model has not
// seen.
func Example_quantize() {
	ctx, folder := context.Background(), filepath.Join("..", "examples", "wine_quality")
	table, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	unseen, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), dataset.As(table.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	m, err := booster.Train(ctx, booster.Params{Objective: "regression", Rounds: 30}, table)
	if err != nil {
		log.Fatal(err)
	}
	found, err := compress.Quantize(ctx, m, compress.Settings{
		Formats: []compress.Format{{Form: ptq.FormOf(ptq.I8)}},
		MaxLoss: math.NaN(), // no limit
		Data:    unseen,
	})
	if err != nil {
		log.Fatal(err)
	}
	whole, err := m.Encode()
	if err != nil {
		log.Fatal(err)
	}
	small, err := found.Model.Encode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Model.Compressed().Leaves.Form(), len(small) < len(whole)/2)
	// Output: I8 true
}

// Training stops after 5 rounds without a better metric on the validation set, and keeps the best round.
func ExampleEarlyStop() {
	ctx, folder := context.Background(), filepath.Join("..", "examples", "wine_quality")
	table, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	valid, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), dataset.As(table.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	var report booster.Report
	params := booster.Params{Objective: "regression", Rounds: 500, LearningRate: 0.5}
	m, err := booster.Train(ctx, params, table,
		booster.Valid("valid", valid), booster.EarlyStop(5), booster.WithReport(&report),
		booster.OnRound(func(r booster.Round) {
			if e := r.Evals[0]; r.Index < 3 {
				fmt.Printf("round %d: %s %s %.4f\n", r.Index+1, e.Set, e.Metric, e.Value)
			}
		}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Stopped, report.Rounds-report.BestRound, m.Rounds() == report.BestRound)
	// Output:
	// round 1: valid rmse 0.7608
	// round 2: valid rmse 0.7280
	// round 3: valid rmse 0.7075
	// early_stopping 5 true
}

// A loss and a metric of one's own. The loss is √(1+(score−label)²) − 1, which outliers pull less than the
// squared error.
func ExampleWithObjective() {
	table, err := steps()
	if err != nil {
		log.Fatal(err)
	}
	pseudoHuber := objectives.FromFunc("pseudo_huber", objectives.Identity, func(score, label float64) (gradient, hessian float64) {
		d := score - label
		root := math.Sqrt(1 + float64(d*d))
		return d / root, 1 / (root * root * root)
	})
	largestError := metrics.FromFunc("largest_error", metrics.LowerIsBetter, func(in metrics.Input) float64 {
		worst := 0.0
		for i, y := range in.Labels {
			worst = max(worst, math.Abs(in.Values[i]-y))
		}
		return worst
	})
	var report booster.Report
	m, err := booster.Train(context.Background(), booster.Params{Rounds: 100}, table,
		booster.WithObjective(pseudoHuber), booster.WithMetric(largestError), booster.WithReport(&report))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Objective(), m.Link(), report.Metrics["train"]["largest_error"] < 0.01)
	// Output:
	// pseudo_huber identity true
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
