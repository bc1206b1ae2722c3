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
		title[i] = fmt.Sprint("a long title ", k)
		switch {
		case r.IntN(100) < fresh:
			title[i] = fmt.Sprint("a new title ", i)
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

// Names of levels are left out where the rows say that new levels are like those, and are kept where
// new levels are like missing values, as the full model takes them, or where nothing says anything.
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
		{"new_like_missing", compress.Settings{Data: titles(t, 2, 6000, 10, 10), MaxLoss: 0.01}, false},
		{"kept", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: 0.01, KeepLevels: true}, false},
		{"unbounded", compress.Settings{Data: titles(t, 2, 6000, 0, 0), MaxLoss: math.NaN()}, false},
		{"without_data", compress.Settings{MaxLoss: math.NaN(), MaxBytes: 100_000}, false},
	} {
		t.Run("S3.57/"+c.name, func(t *testing.T) {
			c.settings.Formats, c.settings.Prune = one, compress.PruneOff
			r, err := compress.Quantize(t.Context(), m, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Certificate.Unlisted) > 0; got != c.left || !slices.Equal(r.Certificate.Unlisted, unlistedOf(r.Model)) {
				t.Fatalf("levels of %v are not named, of the file of %v", r.Certificate.Unlisted, unlistedOf(r.Model))
			}
			if sizes[c.name] = r.Bytes; c.name == "kept" && r.Bytes < sizes["none_new"]+200 {
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

func unlistedOf(m *model.Model) []string {
	if m.Contents().Cuts.Features[0].UnlistedCode() == m.Contents().Cuts.Features[0].MissingCode() {
		return nil
	}
	return []string{"title"}
}
