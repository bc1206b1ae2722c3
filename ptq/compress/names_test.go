package compress_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
	"boost/ptq/compress"
)

// titles makes rows of 300 titles, of which three have another mean, as have missing titles; of new ones,
// there are fresh of a hundred, with the mean given.
func titles(tb testing.TB, seed uint64, rows, fresh int, mean float64) *dataset.Table {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	title, y := make([]string, rows), make([]float64, rows)
	for i := range rows {
		k := i % 300
		title[i], y[i] = fmt.Sprintf("%x is a title", k*2654435761), float64(i/300%2) // alike for all titles
		switch {
		case r.IntN(100) < fresh:
			title[i] = fmt.Sprint("new ", i)
			y[i] += mean
		case k < 3 || i%20 == 0:
			y[i] += 10
			if k >= 3 {
				title[i] = ""
			}
		}
	}
	t, err := dataset.FromColumns([]dataset.ColumnData{{Name: "title", Values: title}, {Name: "y", Values: y}}, dataset.Label("y"))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// Marks take the place of names wherever there is a bound to choose by, unless names are to be kept; new
// levels stay what they were, but for one in 4,096.
func TestQuantizeNames(t *testing.T) {
	m := trained(t, "regression", titles(t, 1, 9000, 0, 0), 20)
	one := []compress.Format{{Form: ptq.FormOf(ptq.I16), Calibration: compress.Calibration{By: compress.ByModel}}}
	sizes := map[string]int64{}
	for _, c := range []struct {
		name     string
		settings compress.Settings
		left     bool
	}{
		{"new_like_rare", compress.Settings{Data: titles(t, 2, 6000, 10, 0), MaxLoss: 0.01}, true},
		{"none_new", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: 0.01}, true},
		{"by_bytes", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: math.NaN(), MaxBytes: 100_000}, true},
		{"new_like_missing", compress.Settings{Data: titles(t, 2, 6000, 10, 10), MaxLoss: 0.01}, true},
		{"kept", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: 0.01, KeepLevels: true}, false},
		{"unbounded", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: math.NaN()}, false},
		{"without_data", compress.Settings{MaxLoss: math.NaN(), MaxBytes: 100_000}, true},
	} {
		t.Run("S3.57/"+c.name, func(t *testing.T) {
			c.settings.Formats, c.settings.Prune = one, compress.PruneOff
			r, err := compress.Quantize(t.Context(), m, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Certificate.Marked) > 0; got != c.left || !slices.Equal(r.Certificate.Marked, markedOf(r.Model)) {
				t.Fatalf("levels of %v are not named, of the file of %v", r.Certificate.Marked, markedOf(r.Model))
			}
			if sizes[c.name] = r.Bytes; c.name == "kept" && r.Bytes < sizes["none_new"]+50 {
				t.Errorf("%d bytes with names, without %d", r.Bytes, sizes["none_new"])
			}
			// Of rows whose levels training had, no raw score moves by more than is said.
			rows := titles(t, 3, 3000, 0, 0)
			before, after := raw(t, m, rows), raw(t, r.Model, rows)
			for i := range before {
				if d := math.Abs(before[i] - after[i]); d > r.Certificate.RawBound[0]*(1+1e-9) {
					t.Fatalf("row %d changes by %v, said to be %v", i, d, r.Certificate.RawBound[0])
				}
			}
		})
	}
}

func markedOf(m *model.Model) []string {
	if len(m.Contents().Cuts.Features[0].NameHashes) == 0 {
		return nil
	}
	return []string{"title"}
}
