package synth

import (
	"math"

	"boost/internal/detmath"
	"boost/internal/rng"
)

const (
	countsPurpose    = purpose + 4
	zeroHeavyPurpose = purpose + 5
	flagsPurpose     = purpose + 6
)

// second is added to a column's number for its second draw in a row.
const second = 1 << 24

// countClasses are the classes of the Counts kind.
const countClasses = 9

// counts makes rows of small counts: a class sets how likely each column is to be above zero,
// and for how large its counts are. 79 % of the cells are zero. One label in ten is drawn anew.
type counts struct {
	columns int
	cells   uint64
	rates   []float64 // likelihood of a count, classes × columns
	sizes   []float64 // mean of the counts above 1, classes × columns
}

func newCounts(seed uint64, columns int) *counts {
	g := &counts{columns: columns, cells: rng.Key(seed, countsPurpose, 0, 1)}
	shape := rng.Key(seed, countsPurpose, 0, 0)
	for class := range uint64(countClasses) {
		for f := range uint64(columns) {
			common := rng.Unit(rng.Draw(shape, 1<<32|f))
			own := rng.Unit(rng.Draw(shape, class<<33|f))
			share := 0.15 // of the class in the column's rate; every fourth column tells more
			if f%4 == 0 {
				share = 0.8
			}
			g.rates = append(g.rates, 0.42*(float64(share*own)+float64((1-share)*common)))
			g.sizes = append(g.sizes, 0.3+float64(2*common)+float64(share*own))
		}
	}
	return g
}

func (g *counts) width() int { return g.columns }

func (g *counts) fill(lo, hi int, x, y []float32) {
	clear(x)
	for row := lo; row < hi; row++ {
		key := rng.Draw(g.cells, uint64(row))
		u := rng.Unit(rng.Draw(key, noiseDraw))
		class := int(countClasses * math.Sqrt(u)) // the later the more frequent
		out := x[(row-lo)*g.columns : (row-lo+1)*g.columns]
		for f := range out {
			at := class*g.columns + f
			if rng.Unit(rng.Draw(key, uint64(f))) < g.rates[at] {
				u := rng.Unit(rng.Draw(key, second+uint64(f)))
				out[f] = float32(1 + min(math.Floor(-g.sizes[at]*detmath.Log(1-u)), 200))
			}
		}
		if rng.Unit(rng.Draw(key, noiseDraw+1)) < 0.1 {
			class = int(countClasses * rng.Unit(rng.Draw(key, noiseDraw+2)))
		}
		y[row-lo] = float32(class)
	}
}

// zeroHeavy makes rows whose cells are zero, by column in 40 to 80 % of the rows, or log-normal.
// The label depends on which cells are zero, on the logarithms of the others and on pairs.
type zeroHeavy struct {
	columns      int
	shape, cells uint64
}

func (g *zeroHeavy) width() int { return g.columns }

func (g *zeroHeavy) fill(lo, hi int, x, y []float32) {
	weights, zeros := make([]float64, g.columns), make([]float64, g.columns)
	for f := range weights {
		weights[f] = bell(rng.Draw(g.shape, uint64(f)))
		zeros[f] = 0.4 + 0.4*(float64(f)+0.5)/float64(g.columns)
	}
	latent := make([]float64, g.columns)
	for row := lo; row < hi; row++ {
		key := rng.Draw(g.cells, uint64(row))
		out := x[(row-lo)*g.columns : (row-lo+1)*g.columns]
		signal := 0.0
		for f := range out {
			out[f], latent[f] = 0, 0
			if rng.Unit(rng.Draw(key, uint64(f))) >= zeros[f] {
				z := bell(rng.Draw(key, second+uint64(f)))
				out[f] = float32(detmath.Exp(z))
				latent[f] = z + 0.5
			}
			signal += float64(0.3 * weights[f] * latent[f])
			if f > 0 {
				signal += float64(0.3 * weights[f] * float64(latent[f]*latent[f-1]))
			}
		}
		y[row-lo] = 0
		if signal+float64(0.8*bell(rng.Draw(key, noiseDraw))) > 0 {
			y[row-lo] = 1
		}
	}
}

// flags makes rows of columns of two values: by column 1 in 2 to 50 % of the rows. Every
// twentieth column has 3 to 10 levels. The label is a number: an effect of each column, of
// which few are large, of pairs of neighbours, and noise.
type flags struct {
	columns      int
	shape, cells uint64
}

func (g *flags) width() int { return g.columns }

// levels returns how many values a column has.
func (*flags) levels(f int) int {
	if f%20 == 19 {
		return 3 + f/20%8
	}
	return 2
}

func (g *flags) fill(lo, hi int, x, y []float32) {
	weights, shares := make([]float64, g.columns), make([]float64, g.columns)
	for f := range weights {
		w := bell(rng.Draw(g.shape, uint64(f)))
		weights[f] = w * w * w
		u := rng.Unit(rng.Draw(g.shape, second+uint64(f)))
		shares[f] = 0.02 + float64(0.48*float64(u*u))
	}
	for row := lo; row < hi; row++ {
		key := rng.Draw(g.cells, uint64(row))
		out := x[(row-lo)*g.columns : (row-lo+1)*g.columns]
		value := 100 + float64(3*bell(rng.Draw(key, noiseDraw)))
		before := 0.0
		for f := range out {
			u := rng.Unit(rng.Draw(key, uint64(f)))
			level := 0.0
			if n := g.levels(f); n > 2 {
				level = math.Floor(float64(n) * float64(u*u))
			} else if u < shares[f] {
				level = 1
			}
			out[f] = float32(level)
			value += float64(weights[f]*level) + float64(0.5*weights[f]*float64(level*before))
			before = level
		}
		y[row-lo] = float32(math.Round(100*value) / 100)
	}
}
