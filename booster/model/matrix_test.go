package model_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/cpu"
	"boost/internal/kernel/predict"
	"boost/internal/testenv"
)

// A matrix has the predictions of its rows, by the definitions where it has float64, and those
// of the rounded values where it has float32.
func TestPredictMatrix(t *testing.T) {
	testenv.Unraced(t)
	abc := []string{"a", "b", "c", "d"}
	for name, h := range map[string]*hostile{
		"numbers":    newHostile(t, 1300, 1, 20, 31, 5, nil),
		"categories": newHostile(t, 1300, 1, 20, 31, 3, abc),
		"classes":    newHostile(t, 700, 7, 5, 16, 4, nil),
		"one leaf":   newHostile(t, 600, 2, 5, 1, 2, nil),
		"features":   newHostile(t, 600, 1, 30, 31, 120, nil),
		"one row":    newHostile(t, 1, 1, 30, 31, 5, abc),
	} {
		t.Run(name, func(t *testing.T) {
			var doubles []float64
			var singles []float32
			var rounded []float64
			out := make([]float64, h.model.Outputs())
			for row := range h.table.NumRows() {
				values := rowOf(h.table, row)
				doubles = append(doubles, values...)
				for i, x := range values {
					singles = append(singles, float32(x))
					values[i] = float64(float32(x))
				}
				h.model.PredictValuesRaw(values, out)
				rounded = append(rounded, out...)
			}
			for _, set := range append(predict.Sets(), cpu.Generic) {
				model.UseSet(h.model, set)
				for _, threads := range []int{1, 2} {
					got, err := model.PredictMatrixRaw(context.Background(), h.model, doubles, model.Threads(threads))
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, fmt.Sprintf("float64, %v, %d threads", set, threads), got, h.want)
					if got, err = model.PredictMatrixRaw(context.Background(), h.model, singles, model.Threads(threads)); err != nil {
						t.Fatal(err)
					}
					sameBits(t, fmt.Sprintf("float32, %v, %d threads", set, threads), got, rounded)
				}
			}
		})
	}
}

// After the link, a matrix has the predictions of the table that it stands for.
func TestPredictMatrixEqualsPredict(t *testing.T) {
	m, tab := newSmall(t), fiveRows(t)
	want, err := m.Predict(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	tab, err = tab.As(m.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for row := range tab.NumRows() {
		values = append(values, rowOf(tab, row)...)
	}
	got, err := model.PredictMatrix(context.Background(), m, values)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "matrix", got, want)
}

func TestPredictMatrixRefuses(t *testing.T) {
	m := newSmall(t)
	width := len(m.Contents().Cuts.Features)
	if out, err := model.PredictMatrix(context.Background(), m, make([]float64, 2*width+1)); err == nil || out != nil || !strings.Contains(err.Error(), fmt.Sprint(width)) {
		t.Errorf("a part of a row: %v, %v", out, err)
	}
	if out, err := model.PredictMatrix(context.Background(), m, []float32{}); err != nil || len(out) != 0 {
		t.Errorf("no rows: %v, %v", out, err)
	}
	off, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := model.PredictMatrix(off, m, []float64{math.Pi, 1, 1, 1}[:width]); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("called off: %v, %v", out, err)
	}
}
