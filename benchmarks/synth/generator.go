package synth

import (
	"fmt"
	"math"

	"boost/internal/rng"
)

// purpose keeps the generator's draws apart from every draw of a training run.
const purpose rng.Purpose = 1 << 32

// Generator makes rows of a table that resembles HIGGS: dense, binary label, columns
// in groups of seven: skewed momenta, symmetric and uniform angles, a quantity
// derived from two others, a flag of few levels. The label depends on the first 28
// columns at most, by smooth, stepped and pairwise terms and noise.
type Generator struct {
	columns    int
	keys       []uint64 // one per column, the label noise last
	continuous bool     // no column has few levels: those of flags are not cut into levels
}

// NewGenerator returns the generator of tables with the given number of columns, at least 1.
func NewGenerator(seed uint64, columns int) (*Generator, error) {
	if columns < 1 {
		return nil, fmt.Errorf("%d columns: a table needs at least one", columns)
	}
	g := &Generator{columns: columns, keys: make([]uint64, columns+1)}
	for f := range columns {
		g.keys[f] = rng.Key(seed, purpose, uint64(f), 0)
	}
	g.keys[columns] = rng.Key(seed, purpose, 0, 1)
	return g, nil
}

func (g *Generator) width() int { return g.columns }

func (g *Generator) fill(lo, hi int, x, y []float32) { g.Fill(lo, hi, x, y) }

// Fill writes rows lo … hi-1: x holds (hi-lo) × columns values, row-major, y one
// label per row.
func (g *Generator) Fill(lo, hi int, x, y []float32) {
	latent := make([]float64, g.columns)
	for row := lo; row < hi; row++ {
		at := (row - lo) * g.columns
		g.fillRow(uint64(row), latent, x[at:at+g.columns])
		noise := 1.4 * bell(rng.Draw(g.keys[g.columns], uint64(row)))
		y[row-lo] = 0
		if score(latent)+noise > 0 {
			y[row-lo] = 1
		}
	}
}

// The seven kinds of columns, by column number modulo 7.
const (
	skewed = iota
	symmetric
	uniform
	heavy
	derived
	narrow
	flag
	kinds
)

const sqrt12 = 3.4641016151377544 // one over the deviation of a uniform number

// fillRow writes a row's values and, for the label, its latent variables: about
// unit variance, mean near zero, whatever shape the value itself has.
func (g *Generator) fillRow(row uint64, latent []float64, x []float32) {
	for f := range x {
		draw := rng.Draw(g.keys[f], row)
		u := rng.Unit(draw)
		z, value := (u-0.5)*sqrt12, 0.0
		switch f % kinds {
		case skewed:
			value = 0.3 + 0.7*u/(1.08-u)
		case symmetric:
			z = bell(draw)
			value = z
		case uniform:
			value = (u - 0.5) * 2 * 1.7426
		case heavy:
			z = bell(draw)
			value = z * (0.4 + math.Abs(z))
		case derived:
			a, b := latent[f-skewedBack], latent[f-symmetricBack]
			z = float64(math.Abs(a+b)*0.9) + float64(bell(draw)*0.4) - 1
			value = 1 + z + float64(z*z)*0.25
		case narrow:
			z = bell(draw)
			value = 0.98 + float64(z*0.05)
		case flag:
			level := 4 * float64(u*u)
			if !g.continuous {
				level = math.Floor(level)
			}
			z = level - 1
			value = level * 1.0865
		}
		latent[f], x[f] = z, float32(value)
	}
}

// A derived column stands four behind its group's skewed and three behind its symmetric one.
const (
	skewedBack    = derived - skewed
	symmetricBack = derived - symmetric
)

// bell maps a draw to a bell-shaped number of variance 1 in (-3, 3): the sum of
// three uniform ones made of 21 bits each.
func bell(draw uint64) float64 {
	const mask = 1<<21 - 1
	sum := draw>>43&mask + draw>>22&mask + draw>>1&mask
	return (float64(sum)/(1<<21) - 1.5) * 2
}

// score is the label's signal: positive where class 1 is the more likely.
func score(z []float64) float64 {
	s := 0.1
	for f := range min(len(z), 28) {
		switch f % kinds {
		case skewed:
			s += float64(0.35 * z[f])
		case symmetric:
			s -= float64(0.25 * math.Abs(z[f]))
		case heavy:
			if z[f] > 0.5 {
				s += 0.5
			}
		case derived:
			s += float64(0.45 * z[f])
		case flag:
			s += float64(0.2 * z[f])
		}
	}
	for _, p := range pairs {
		if p.b < len(z) {
			s += float64(p.weight * float64(z[p.a]*z[p.b]))
		}
	}
	return s
}

var pairs = []struct {
	a, b   int
	weight float64
}{{1, 8, 0.4}, {0, 5, 0.35}, {7, 14, -0.4}, {2, 9, 0.35}, {12, 15, 0.3}, {4, 22, -0.3}}
