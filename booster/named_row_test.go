package booster_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// cellsOf returns the rows of a packed CSV file with a header as texts by name.
func cellsOf(t testing.TB, path string, most int) []map[string]any {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(plain).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for _, record := range records[1:min(most+1, len(records))] {
		row := make(map[string]any)
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Rows as encoding/csv reads them are predicted as the file is.
func TestPredictRowEqualsFile(t *testing.T) {
	testenv.Unraced(t)
	const path = "../examples/adult/test.csv.gz"
	train := openShipped(t, "adult")
	m, err := booster.Train(context.Background(), booster.Params{Rounds: 5}, train)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := dataset.Open(context.Background(), path, dataset.As(m.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Predict(context.Background(), tab)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range cellsOf(t, path, 500) {
		if got, err := m.PredictRow(row); err != nil || got[0] != want[i] {
			t.Fatalf("row %d: %v, %v; want %v", i, got, err, want[i])
		}
	}
}

// A model that read money reads it in a row, too.
func TestPredictRowReadsForms(t *testing.T) {
	var text strings.Builder
	text.WriteString("price,y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "\"$1,%03d.50\",%d\n", 17*i%997, i)
	}
	train, err := dataset.Read(context.Background(), strings.NewReader(text.String()), "t.csv", dataset.Label("y"), dataset.Parse(map[string]string{"price": "number"}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := booster.Train(context.Background(), booster.Params{Objective: "regression", Rounds: 5}, train)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.PredictRow(map[string]any{"price": 1017.5})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.PredictRow(map[string]any{"price": "$1,017.50"}); err != nil || got[0] != want[0] {
		t.Errorf("$1,017.50 gives %v, %v; 1017.5 gives %v", got, err, want)
	}
}

// A model whose table had decimal commas reads them in texts; numbers of JSON have decimal points.
func TestPredictRowWithDecimalComma(t *testing.T) {
	var text strings.Builder
	text.WriteString("x;y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,5;%d\n", i, i)
	}
	train, err := dataset.Read(context.Background(), strings.NewReader(text.String()), "t.csv", dataset.Label("y"), dataset.Decimal(','))
	if err != nil {
		t.Fatal(err)
	}
	m, err := booster.Train(context.Background(), booster.Params{Objective: "regression", Rounds: 5}, train)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.PredictRow(map[string]any{"x": 40.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{"40,5", json.Number("40.5"), json.Number("405e-1")} {
		if got, err := m.PredictRow(map[string]any{"x": x}); err != nil || got[0] != want[0] {
			t.Errorf("%v gives %v, %v; 40.5 gives %v", x, got, err, want)
		}
	}
}
