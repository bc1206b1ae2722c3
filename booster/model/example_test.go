package model_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"boost/booster/model"
	"boost/dataset"
)

// Load a model, predict for a table in memory, and name the classes.
func ExampleModel_Predict() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []float64{1, 3}},
		{Name: "income", Values: []float64{5, 2}},
		{Name: "color", Values: []string{"red", "red"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Predict(context.Background(), table)
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := m.PredictClass(context.Background(), table)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, p := range values {
		fmt.Printf("P(%s) = %.4f, so %s\n", m.Classes()[1], p, m.Classes()[classes[row]])
	}
	// Output:
	// P(yes) = 0.3630, so no
	// P(yes) = 0.9196, so yes
}

// A level that training has not seen is taken for a missing value; Unseen counts them.
func ExampleModel_Unseen() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []float64{1, 3, 2}},
		{Name: "income", Values: []float64{5, 2, 2}},
		{Name: "color", Values: []string{"red", "violet", "violet"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	unseen, err := m.Unseen(table)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range unseen {
		fmt.Printf("column %s: %d rows, %d new, the first %q\n", u.Column, u.Rows, u.Levels, u.Example)
	}
	// Output:
	// column color: 2 rows, 1 new, the first "violet"
}

// Rows of values need no table: a matrix is predicted as a whole.
func ExamplePredictMatrix() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	width := len(m.Contents().Cuts.Features)
	values := make([]float32, 3*width) // three rows of zeros
	predictions, err := model.PredictMatrix(context.Background(), m, values)
	if err != nil {
		fmt.Println(err)
		return
	}
	one := make([]float64, m.Outputs())
	m.PredictValues(make([]float64, width), one)
	fmt.Println(len(predictions) == 3*m.Outputs(), predictions[0] == one[0])
	// Output: true true
}

func ExampleModel_Save() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "copy.boost")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	one, _ := os.ReadFile("testdata/v1.boost")
	other, _ := os.ReadFile(path)
	fmt.Printf("first difference: %q\n", model.DiffSections(one, other))
	// Output: first difference: ""
}

func ExampleLoad() {
	_, err := model.Load("example_test.go")
	fmt.Println(err)
	fmt.Println(errors.Is(err, model.ErrModel))
	// Output:
	// example_test.go: not a boost model: it looks like text that begins with "package model_test"
	// true
}

// The metric of every stage costs one prediction; the first rounds alone are a model too.
func ExampleModel_Staged() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []float64{1}}, {Name: "income", Values: []float64{5}}, {Name: "color", Values: []string{"red"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for stage, err := range m.Staged(ctx, table, 2) {
		if err != nil {
			fmt.Println(err)
			return
		}
		first, err := m.Prefix(stage.Rounds())
		if err != nil {
			fmt.Println(err)
			return
		}
		raw, err := first.PredictRaw(ctx, table)
		fmt.Println(stage.Rounds(), stage.Raw(), raw, err)
	}
	// Output:
	// 2 [-0.6875] [-0.6875] <nil>
	// 3 [-0.5625] [-0.5625] <nil>
}

// A model that is merged with itself gives its scores twice.
func ExampleMerge() {
	m, err := model.Load("testdata/v1.boost")
	if err != nil {
		fmt.Println(err)
		return
	}
	both, err := model.Merge(m, m)
	if err != nil {
		fmt.Println(err)
		return
	}
	values := make([]float64, len(m.FeatureNames()))
	one, two := make([]float64, 1), make([]float64, 1)
	m.PredictValuesRaw(values, one)
	both.PredictValuesRaw(values, two)
	fmt.Println(both.Rounds(), two[0] == 2*one[0])
	// Output: 6 true
}
