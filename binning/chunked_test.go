package binning_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"boost/binning"
	"boost/parallel"
)

// TestChunked codes tables in chunks, cut anywhere and added by several goroutines:
// the matrix is the one of the whole table, in every layout.
func TestChunked(t *testing.T) {
	ctx := context.Background()
	pool := parallel.NewPool(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(7, 1))
	for range cases(300) {
		p := params(func(p *binning.Params) {
			p.MaxBin, p.MaxCat = 2+r.IntN(40), 1+r.IntN(30)
			p.Layout = []string{binning.Auto, binning.LayoutCol, binning.LayoutRow, binning.LayoutCSR, binning.LayoutEllpack}[r.IntN(5)]
			p.Storage = []string{binning.Adaptive, binning.Uniform}[r.IntN(2)]
		})
		cuts := fit(t, someTable(t, r, 1+r.IntN(60)), p)
		rows := 1 + r.IntN(200)
		tab := someTable(t, r, rows) // with levels and gaps that training may not have seen
		want := build(t, cuts, tab, p)
		b, err := binning.NewChunked(cuts, populationOf(tab), p)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for _, piece := range randomPieces(r, rows) {
			wait.Go(func() {
				local := make([]int32, 0, piece[1]-piece[0])
				for row := piece[0]; row < piece[1]; row++ {
					local = append(local, int32(row))
				}
				if err := b.Add(piece[0], tab.Take(local)); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		got, err := b.Codes().Matrix(ctx, p, pool)
		if err != nil {
			t.Fatal(err)
		}
		if got.Layout() != want.Layout() || got.Bytes() != want.Bytes() {
			t.Fatalf("layout %v, want %v", got, want)
		}
		for f := range want.NFeatures() {
			if g, w := got.FeatureInfo(f), want.FeatureInfo(f); g != w {
				t.Fatalf("feature %d is stored as %+v, want %+v", f, g, w)
			}
			equal(t, "codes", codesOf(got, f), codesOf(want, f))
		}
	}
	t.Run("sparse", func(t *testing.T) {
		for range cases(200) {
			p := params(func(p *binning.Params) {
				p.MaxBin = 2 + r.IntN(40)
				p.Layout = []string{binning.Auto, binning.LayoutCol, binning.LayoutCSR, binning.LayoutEllpack}[r.IntN(4)]
			})
			rows := 1 + r.IntN(300)
			tab, _ := twoForms(t, r, rows, 5)
			cuts := fit(t, tab, p)
			want := build(t, cuts, tab, p)
			pop := populationOf(tab)
			pop.Fill = []float64{0, nan}[r.IntN(2)]
			for _, c := range tab.Features() { // a sparse one of the other fill becomes dense
				if s := c.Sparse(); s != nil && (s.Fill == 0) == (pop.Fill == 0) {
					pop.Stored = append(pop.Stored, s.Len())
				} else {
					pop.Stored = append(pop.Stored, -1)
				}
			}
			b, err := binning.NewChunked(cuts, pop, p)
			if err != nil {
				t.Fatal(err)
			}
			var wait sync.WaitGroup
			for _, piece := range randomPieces(r, rows) { // some of whose columns are dense, as they hold few rows
				wait.Go(func() {
					local := make([]int32, 0, piece[1]-piece[0])
					for row := piece[0]; row < piece[1]; row++ {
						local = append(local, int32(row))
					}
					if err := b.Add(piece[0], tab.Take(local)); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			got, err := b.Codes().Matrix(ctx, p, pool)
			if err != nil {
				t.Fatal(err)
			}
			for f := range want.NFeatures() {
				equal(t, "codes", codesOf(got, f), codesOf(want, f))
			}
		}
	})
	t.Run("refusals", func(t *testing.T) {
		tab := someTable(t, r, 50)
		cuts := fit(t, tab, params(nil))
		pop := populationOf(tab)
		if _, err := binning.NewChunked(cuts, binning.Population{Rows: 3}, params(nil)); !errors.Is(err, binning.ErrMismatch) {
			t.Errorf("population of another table: %v", err)
		}
		b, err := binning.NewChunked(cuts, pop, params(nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add(1, tab); !errors.Is(err, binning.ErrMismatch) {
			t.Errorf("a row too many: %v", err)
		}
		gap := table(t, floats32("a", float32(nan)), floats64("b", 1), levels("k", []string{"v0"}, 0), floats32("c", 1))
		plain := table(t, floats32("a", 1), floats64("b", 1), levels("k", []string{"v0"}, 0), floats32("c", 1))
		if b, err = binning.NewChunked(fit(t, plain, params(nil)), populationOf(plain), params(nil)); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(0, gap); !errors.Is(err, binning.ErrMismatch) {
			t.Errorf("a gap that was not counted: %v", err)
		}
	})
}
