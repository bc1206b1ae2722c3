package binning_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/dataset"
	"boost/internal/testenv"
)

// ways lists how Build can keep codes: every layout with either storage, masked gaps
// and bundles where they go with it.
func ways() []binning.Params {
	var all []binning.Params
	for _, layout := range binning.Layouts() {
		for _, storage := range []string{"adaptive", "uniform"} {
			for _, missing := range []string{"sentinel", "mask"} {
				for _, bundle := range []string{"auto", "on", "off"} {
					p := params(func(p *binning.Params) { p.Layout, p.Storage, p.MissingAs, p.Bundle = layout, storage, missing, bundle })
					if p.Validate() == nil {
						all = append(all, p)
					}
				}
			}
		}
	}
	return all
}

// TestCodeIsPath proves that the code of a cell in training is the path of its raw
// value in prediction: for tables of numbers of both kinds, dense and sparse, and of
// categories, cut up anyhow, and in every layout; later tables hold the cuts themselves,
// their neighbours, both infinities, NaN and −0, in either kind of numbers, and levels
// that training has not seen.
func TestCodeIsPath(t *testing.T) {
	testenv.Unraced(t)
	all := ways()
	if len(all) < 20 {
		t.Fatalf("only %d ways to keep codes", len(all))
	}
	t.Run("S0.6/code_is_path", func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 5))
		for range cases(10_000) {
			rows := 1 + r.IntN(50)
			p := params(func(p *binning.Params) {
				p.MaxBin, p.MinDataInBin = 2+r.IntN(40), r.IntN(3)
				p.Placement = []string{"midpoint", "value"}[r.IntN(2)]
				p.Sample = []int{0, 1 + r.IntN(60)}[r.IntN(2)]
				p.MaxCat, p.MinDataPerCat = 1+r.IntN(12), 1+r.IntN(3)
				p.Order = []string{"count", "name"}[r.IntN(2)]
			})
			if r.IntN(3) == 0 && p.MaxBin > 4 {
				p.ForcedCuts = map[string][]float64{"0": {-.5, math.Nextafter(1, 2), 1e300}, "3": {-math.MaxFloat64, 0}}
			}
			if r.IntN(3) == 0 && p.ForcedCuts == nil {
				p.MaxBinByFeature = map[string]int{"1": 2 + r.IntN(60)}
			}
			train := someColumns(t, r, rows)
			cuts, _, err := binning.Fit(context.Background(), train, nil, p, r.Uint64(), pool(t, 1))
			if err != nil {
				t.Fatal(err)
			}
			checkPaths(t, r, cuts, train, train, all)
			later := 1 + r.IntN(50)
			if r.IntN(100) == 0 {
				later = 1100 // enough for an index
			}
			checkPaths(t, r, cuts, train, laterColumns(t, r, cuts, train, later), all)
		}
	})
}

var letters = []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}

// someColumns makes a table with one column of each form.
func someColumns(t testing.TB, r *rand.Rand, rows int) *dataset.Table {
	fill := []float64{0, nan}[r.IntN(2)]
	indices := make([]int32, rows)
	for row := range indices {
		indices[row] = int32(r.IntN(10)) - 1
	}
	return table(t, floats32("0", narrow(someValues(r, rows))...), floats64("1", someValues(r, rows)...),
		cells("2", false, fill, thin(r, fill, someValues(r, rows))...), cells("3", true, fill, thin(r, fill, someValues(r, rows))...),
		levels("4", letters[:9], indices...))
}

// thin puts fill in place of most values.
func thin(r *rand.Rand, fill float64, values []float64) []float64 {
	share := r.Float64()
	for row := range values {
		if r.Float64() < share {
			values[row] = fill
		}
	}
	return values
}

// laterColumns draws a table of values at and around the cuts, whose numeric columns
// have any form, and whose levels are met in another order, some of them new.
func laterColumns(t testing.TB, r *rand.Rand, cuts *binning.Cuts, train *dataset.Table, rows int) *dataset.Table {
	dictionary := slices.Clone(letters)
	r.Shuffle(len(dictionary), func(i, j int) { dictionary[i], dictionary[j] = dictionary[j], dictionary[i] })
	var columns []column
	for f, values := range nearCuts(r, cuts, rows) {
		name, fill := fmt.Sprint(f), []float64{0, nan}[r.IntN(2)]
		if cuts.Features[f].Kind == binning.Categorical {
			indices := make([]int32, rows)
			for row := range indices {
				indices[row] = int32(r.IntN(len(letters)+1)) - 1
			}
			columns = append(columns, levels(name, dictionary, indices...))
			continue
		}
		switch r.IntN(4) {
		case 0:
			columns = append(columns, floats32(name, narrow(values)...))
		case 1:
			columns = append(columns, floats64(name, values...))
		case 2:
			columns = append(columns, cells(name, false, fill, thin(r, fill, values)...))
		default:
			columns = append(columns, cells(name, true, fill, thin(r, fill, values)...))
		}
	}
	tab, err := table(t, columns...).As(train.Schema())
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// checkPaths compares the codes that a table gets, built whole in some of the ways, in
// pieces and through an Encoder, with the paths of its raw values.
func checkPaths(t *testing.T, r *rand.Rand, cuts *binning.Cuts, train, tab *dataset.Table, all []binning.Params) {
	t.Helper()
	rows := tab.NumRows()
	want := make([][]uint32, len(cuts.Features))
	for f, column := range tab.Features() {
		want[f] = codesByDefinition(t, cuts, f, train.Features()[f], column)
	}
	check := func(what string, first, n int, code func(f, row int) uint32) {
		t.Helper()
		for f := range want {
			for row := range n {
				if got := code(f, row); got != want[f][first+row] {
					t.Fatalf("%s: feature %d (%s), row %d: code %d, the path of the value is %d", what, f, cuts.Features[f].Name, first+row, got, want[f][first+row])
				}
			}
		}
	}
	for range 2 {
		p := all[r.IntN(len(all))]
		check(fmt.Sprintf("%s %s %s bundle=%s", p.Layout, p.Storage, p.MissingAs, p.Bundle), 0, rows, build(t, cuts, tab, p).Bin)
		cut := r.IntN(rows + 1)
		head, tail := make([]int32, 0, cut), make([]int32, 0, rows-cut)
		for row := range rows {
			if row < cut {
				head = append(head, int32(row))
			} else {
				tail = append(tail, int32(row))
			}
		}
		check("the first rows", 0, cut, build(t, cuts, tab.Take(head), p).Bin)
		check("the last rows", cut, rows-cut, build(t, cuts, tab.Take(tail), p).Bin)
	}
	e, err := binning.NewEncoder(cuts, tab)
	if err != nil {
		t.Fatal(err)
	}
	lo := r.IntN(rows)
	hi := lo + 1 + r.IntN(rows-lo)
	for f := range want {
		codes := make([]uint32, hi-lo)
		e.Encode(f, lo, hi, codes)
		equal(t, "Encoder", codes, want[f][lo:hi])
		cuts.Encode(f, tab.Features()[f], lo, hi, codes)
		equal(t, "Cuts.Encode", codes, want[f][lo:hi])
	}
}

// codesByDefinition returns the codes of a column by the words of S0.4 to S0.6, and
// checks x ≤ cut → left for every value and cut.
func codesByDefinition(t *testing.T, c *binning.Cuts, f int, train, column *dataset.Column) []uint32 {
	t.Helper()
	feature := &c.Features[f]
	codes := make([]uint32, column.Len())
	if feature.Kind == binning.Categorical {
		for row, level := range column.Codes() {
			codes[row] = feature.MissingCode()
			if level < 0 {
				continue
			}
			at := slices.Index(train.Levels(), column.Levels()[level])
			if at >= 0 && feature.Codes[at] != binning.NoCode {
				codes[row] = feature.Codes[at]
			}
		}
		return codes
	}
	cuts := append([]float64(nil), c.Of64(f)...)
	for _, cut := range c.Of32(f) {
		cuts = append(cuts, float64(cut))
	}
	if slices.ContainsFunc(cuts, func(cut float64) bool { return math.IsNaN(cut) || math.IsInf(cut, 1) }) || !slices.IsSorted(cuts) {
		t.Fatalf("cuts %v", cuts)
	}
	for row := range codes {
		x := valueOf(column, row)
		if math.IsNaN(x) {
			codes[row] = feature.MissingCode()
			continue
		}
		for _, cut := range cuts {
			if cut < x {
				codes[row]++
			}
		}
		for i, cut := range cuts {
			if left := x <= cut; left != (codes[row] <= uint32(i)) {
				t.Fatalf("value %v, cut %v: left %v, code %d", x, cut, left, codes[row])
			}
		}
	}
	return codes
}
