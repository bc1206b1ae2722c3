package compress_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// rankedTask is a table of queries of 10 rows, and a model that ranks them.
func rankedTask(t *testing.T) (*dataset.Table, *model.Model) {
	t.Helper()
	const n = 2000
	a, b, y, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i], q[i] = float64(i*37%101), float64(i*53%29), float64(i/10)
		y[i] = math.Floor((a[i] + b[i]) / 45)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "q", Values: q}, {Name: "y", Values: y},
	}, dataset.Label("y"), dataset.Group("q"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := booster.Train(context.Background(), booster.Params{Objective: "lambdarank", Rounds: 20}, table)
	if err != nil {
		t.Fatal(err)
	}
	return table, m
}

// Models of queries are stored in fewer bits, compared, and corrected by their hessians; searches and pruning, which go by rows, refuse them.
func TestModelsOfQueries(t *testing.T) {
	ctx := context.Background()
	table, m := rankedTask(t)
	format := compress.Format{Form: ptq.FormOf(ptq.I8)}
	r, err := compress.Quantize(ctx, m, compress.Settings{Formats: []compress.Format{format}, MaxLoss: math.NaN()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := compress.Compare(ctx, m, r.Model, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Data.Metrics[0]; v.Name != "ndcg@10" || !(v.A > 0.9) || !(math.Abs(v.A-v.B) < 0.02) {
		t.Errorf("%+v", c.Data.Metrics)
	}
	if _, err := compress.MorphWithFeedback(ctx, m, format.Form, compress.Calibration{}, table, compress.ByHessian); err != nil {
		t.Error(err)
	}
	_, err = compress.Quantize(ctx, m, compress.Settings{Formats: []compress.Format{format}, MaxLoss: math.NaN(), Data: table.Take(rowsBelow(1000))})
	if err == nil || !strings.Contains(err.Error(), "ndcg@10 is none") {
		t.Errorf("a search: %v", err)
	}
	if _, _, err := compress.Prune(ctx, m, table, compress.PruneParams{}); err == nil || !strings.Contains(err.Error(), "one of queries") {
		t.Errorf("pruning: %v", err)
	}
}

func rowsBelow(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}
