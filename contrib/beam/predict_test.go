package beam_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"boost/booster"
	"boost/booster/model"
	boostbeam "boost/contrib/beam"
	"boost/dataset"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

// Person is a row.
type Person struct {
	Age  float64 `boost:"age"`
	City string  `boost:"city"`
}

// Nameless lacks a column of the model.
type Nameless struct {
	Age float64 `boost:"age"`
}

func init() {
	boostbeam.Register[Person]()
	boostbeam.Register[Nameless]()
	register.Function2x1(text)
}

// text is a row and what was predicted of it.
func text(p Person, predictions []float64) string { return fmt.Sprint(p, predictions) }

// trained returns a model of people, its file, and 500 of them.
func trained(t *testing.T) (m *model.Model, file []byte, people []Person) {
	t.Helper()
	ages, cities, labels := make([]float64, 500), make([]string, 500), make([]float64, 500)
	for i := range ages {
		ages[i], cities[i] = float64(i*37%90), []string{"Oslo", "Rome", "Kyiv"}[i%3]
		labels[i] = ages[i] + 10*float64(i%3)
		people = append(people, Person{ages[i], cities[i]})
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "age", Values: ages}, {Name: "city", Values: cities}, {Name: "y", Values: labels}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Rounds, p.EarlyStopping = 10, 0
	if m, err = booster.Train(t.Context(), p, table); err != nil {
		t.Fatal(err)
	}
	if file, err = m.Encode(); err != nil {
		t.Fatal(err)
	}
	return m, file, people
}

// The pipeline says of each row what the model says of a table of all.
func TestPredict(t *testing.T) {
	m, file, people := trained(t)
	ages, cities := make([]float64, len(people)), make([]string, len(people))
	for i, p := range people {
		ages[i], cities[i] = p.Age, p.City
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "age", Values: ages}, {Name: "city", Values: cities}}, dataset.As(m.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Predict(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Max(values) < slices.Min(values)+10 {
		t.Fatal("the model has learned nothing")
	}
	want := make([]any, len(people))
	for i, p := range people {
		want[i] = text(p, values[i:i+1])
	}
	pipeline, s, rows := ptest.CreateList(people)
	passert.Equals(s, beam.ParDo(s, text, boostbeam.Predict[Person](s, file, rows)), want...)
	ptest.RunAndValidate(t, pipeline)
}

// Rows that the model cannot score, and files that are no models, fail the pipeline and say why.
func TestFailures(t *testing.T) {
	_, file, _ := trained(t)
	fails := func(build func(s beam.Scope), words string) {
		t.Helper()
		pipeline, s := beam.NewPipelineWithRoot()
		build(s)
		if err := ptest.Run(pipeline); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q is missing in %v", words, err)
		}
	}
	fails(func(s beam.Scope) {
		boostbeam.Predict[Nameless](s, file, beam.CreateList(s, []Nameless{{1}}))
	}, `has no field for column "city"`)
	fails(func(s beam.Scope) {
		boostbeam.Predict[Person](s, bytes.Repeat([]byte("x"), 100), beam.CreateList(s, []Person{{}}))
	}, "model")
}
