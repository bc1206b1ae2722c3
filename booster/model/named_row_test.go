package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/dataset"
)

// Cells of any type of Go give what the same cells give in a table that is read with the model's schema.
func TestNamedRowEqualsPredict(t *testing.T) {
	type age int8
	m, half := newSmall(t), 0.5
	for _, c := range []struct{ age, income, color any }{
		{1.0, 5.0, "red"}, {float32(2), 20, "green"}, {int64(3), math.NaN(), "blue"}, {nil, nil, nil},
		{uint8(2), uint64(11), "purple"}, {age(3), json.Number("1e1"), "NA"}, {"2.5", "1970-01-01", "red "}, {"true", false, "1"},
		{true, "NaN", 1}, {&half, (*float64)(nil), ""}, {" 7 ", "?", "?"}, {"-inf", "inf", "Red"},
	} {
		got, err := m.PredictRow(map[string]any{"age": c.age, "income": c.income, "color": c.color, "unused": struct{}{}})
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		column := func(name string, v any) dataset.ColumnData {
			values := []string{""}
			switch v := v.(type) {
			case *float64:
				if v != nil {
					values[0] = "0.5"
				}
			case nil:
			case bool:
				return dataset.ColumnData{Name: name, Values: []bool{v}}
			case string:
				values[0] = v
			default:
				b, err := json.Marshal(v)
				if err != nil { // NaN
					b = nil
				}
				values[0] = string(b)
			}
			return dataset.ColumnData{Name: name, Values: values}
		}
		tab := table(t, []dataset.ColumnData{column("age", c.age), column("income", c.income), column("color", c.color)}, dataset.As(m.Schema()))
		want, err := m.Predict(context.Background(), tab)
		if err != nil {
			t.Fatal(err)
		}
		if got[0] != want[0] {
			t.Errorf("%v: PredictRow gives %v, Predict %v", c, got[0], want[0])
		}
	}
}

func TestPredictRowRefuses(t *testing.T) {
	m := newSmall(t)
	for name, c := range map[string]struct {
		row  map[string]any
		want string
	}{
		"absent":  {map[string]any{"age": 1, "color": "red"}, `column "income" is missing`},
		"text":    {map[string]any{"age": 1, "income": "much", "color": "red"}, `column "income": "much" is not a number`},
		"type":    {map[string]any{"age": []int{1}, "income": 1, "color": "red"}, `column "age" has a value of type []int`},
		"rounded": {map[string]any{"age": int64(1)<<53 + 1, "income": 1, "color": "red"}, `cannot hold 9007199254740993 exactly`},
		"encoded": {map[string]any{"age": 1, "income": 1, "color": "\xff"}, `column "color": "\xff" is not UTF-8`},
	} {
		if got, err := m.PredictRow(c.row); !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: %v, %v; want an error with %q", name, got, err, c.want)
		}
	}
}

type person struct {
	Age    *float64 `boost:"age"`
	Income float32  `boost:"income"`
	look
	Hidden []int `boost:"-"`
}

type look struct {
	Color string `boost:"color"`
}

func TestRowPredictor(t *testing.T) {
	m := newSmall(t)
	p, err := model.NewRowPredictor[person](m)
	if err != nil {
		t.Fatal(err)
	}
	age := 3.0
	for _, row := range []person{{Income: 5, look: look{"red"}}, {Age: &age, Income: 20, look: look{"blue"}}, {Age: &age, Income: 2}} {
		var known any
		if row.Age != nil {
			known = *row.Age
		}
		want, err := m.PredictRow(map[string]any{"age": known, "income": row.Income, "color": row.Color})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Predict(&row); err != nil || got[0] != want[0] {
			t.Errorf("%+v: %v, %v; want %v", row, got, err, want)
		}
	}
	if _, err := p.Predict(&person{look: look{"\xff"}}); !errors.Is(err, dataset.ErrTable) {
		t.Errorf("a text that is not UTF-8: %v", err)
	}
	if _, err := p.Predict(nil); err == nil || !strings.Contains(err.Error(), "the row is nil") {
		t.Errorf("no row: %v", err)
	}
	type lacking struct {
		Age float64 `boost:"age"`
	}
	type listing struct {
		Age    []float64 `boost:"age"`
		Income float64   `boost:"income"`
		Color  string    `boost:"color"`
	}
	type doubled struct {
		A, B float64 `boost:"age"`
	}
	_, ofLacking := model.NewRowPredictor[lacking](m)
	_, ofListing := model.NewRowPredictor[listing](m)
	_, ofDoubled := model.NewRowPredictor[doubled](m)
	_, ofNumber := model.NewRowPredictor[float64](m)
	for want, err := range map[string]error{
		`no field for column "income"`: ofLacking, "field Age has type []float64": ofListing,
		`fields A and B are both "age"`: ofDoubled, "a struct was expected": ofNumber,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A row costs its result, whatever its number of features.
func TestPredictRowAllocates(t *testing.T) {
	m := newSmall(t)
	row := map[string]any{"age": 1.0, "income": "12.5", "color": "red"}
	if n := testing.AllocsPerRun(100, func() { _, _ = m.PredictRow(row) }); n > 2 {
		t.Errorf("a map allocates %v times", n)
	}
	p, err := model.NewRowPredictor[person](m)
	if err != nil {
		t.Fatal(err)
	}
	one := person{Income: 5, look: look{"red"}}
	if n := testing.AllocsPerRun(100, func() { _, _ = p.Predict(&one) }); n > 2 {
		t.Errorf("a struct allocates %v times", n)
	}
	wide, tab := newNumbers(t, 10, 3, 10, 200)
	cells := make(map[string]any)
	for f, v := range rowOf(tab, 0) {
		cells[tab.Features()[f].Name()] = v
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = wide.PredictRow(cells) }); n > 2 {
		t.Errorf("a map of 200 numbers allocates %v times", n)
	}
}

// BenchmarkPredictRow takes rows of 200 trees of 31 leaves by name.
func BenchmarkPredictRow(b *testing.B) {
	m, tab := newNumbers(b, 512, 200, 31, 28)
	cells := make(map[string]any)
	for f, v := range rowOf(tab, 0) {
		cells[tab.Features()[f].Name()] = v
	}
	for b.Loop() {
		if _, err := m.PredictRow(cells); err != nil {
			b.Fatal(err)
		}
	}
}
