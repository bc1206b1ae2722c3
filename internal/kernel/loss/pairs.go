package loss

import "math"

// Pairs holds the rows of a query by rank, the best score first, and adds up what the losses of their pairs derive to. Begin makes
// it ready for a query; it is not for concurrent use.
//
// A pair's loss is weight·ln(1 + e^(score of the one − score of the other)) where the other shall rank higher, over 1, or over 0.01 + the distance of
// the two scores if Distant. Scores count in units of 1/steepness: a gradient is to be multiplied by the
// steepness, and a hessian by its square.
type Pairs struct {
	Distant   bool
	Scores    []float64
	Odds      []float64 // e^(steepness·(score − best score)), above 0: a chance is a ratio of them, which takes no exponential per pair
	Change    []float64 // what Row takes: of a row and one above it the pair's weight, negative if the lower row shall be the higher
	Gains     []float64 // what RowByGain takes, 0 or more
	Discounts []float64 // of ranks: those of Discounts
	Grad      []float64
	Hess      []float64
	Sum       float64 // of the gradients' sizes, each pair's once

	memory []float64
}

const (
	// pairLanes is the number of partial sums for a row: the j-th row below it adds to the sum j modulo pairLanes.
	pairLanes = 8
	// nearPair is added to distances. LightGBM has the same.
	nearPair = 0.01
)

// pairSums are partial sums of gradients, of hessians, and of the sizes of gradients.
type pairSums [3][pairLanes]float64

// Begin makes the slices as long as a query of n rows, with Grad, Hess and Sum 0. Behind their ends stand as many numbers as a
// vector has, of rows that lose nothing.
func (p *Pairs) Begin(n int) {
	size := n + pairLanes
	if cap(p.memory) < 6*size {
		p.memory = make([]float64, 6*size)
	}
	part := func(i int, behind float64) []float64 {
		s := p.memory[i*size : (i+1)*size]
		for at := n; at < size; at++ {
			s[at] = behind
		}
		return s[:n]
	}
	p.Scores, p.Odds, p.Change, p.Gains = part(0, 0), part(1, 0), part(2, 0), part(3, -1)
	p.Grad, p.Hess = p.memory[4*size:4*size+n], p.memory[5*size:5*size+n]
	clear(p.memory[4*size : 6*size])
	p.Discounts = Discounts(size)[:n]
	p.Sum, p.Distant = 0, false
}

// Row adds the pairs of row i and the rows below it, by Change.
func (p *Pairs) Row(i int) {
	var sums pairSums
	if !p.rowVectors(i, false, &sums) {
		for j := i + 1; j < len(p.Scores); j++ {
			p.pair(i, j, p.Change[j], &sums)
		}
	}
	p.add(i, &sums)
}

// RowByGain adds the pairs of row i and the rows below it. Weights are by how much the discounted gain changes if the two rows change places.
func (p *Pairs) RowByGain(i int) {
	var sums pairSums
	if !p.rowVectors(i, true, &sums) {
		gain, discount := p.Gains[i], p.Discounts[i]
		for j := i + 1; j < len(p.Scores); j++ {
			p.pair(i, j, (gain-p.Gains[j])*(discount-p.Discounts[j]), &sums)
		}
	}
	p.add(i, &sums)
}

// pair adds a pair: to row j, and to the partial sums for row i above it.
func (p *Pairs) pair(i, j int, change float64, sums *pairSums) {
	if change == 0 {
		return
	}
	own, e := p.Odds[i], p.Odds[j]
	distance := 1.0
	if p.Distant {
		distance = nearPair + (p.Scores[i] - p.Scores[j])
	}
	inverse := 1 / float64((own+e)*distance)
	share := float64(change * inverse)
	lower := e // odds of the row that shall be the lower one
	if change < 0 {
		lower = own
	}
	g := float64(share * lower)
	h := float64(float64(math.Abs(share)*own) * float64(e*float64(distance*inverse)))
	p.Grad[j] += g
	p.Hess[j] += h
	lane := (j - i - 1) % pairLanes
	sums[0][lane] += g
	sums[1][lane] += h
	sums[2][lane] += math.Abs(g)
}

func (p *Pairs) add(i int, sums *pairSums) {
	p.Grad[i] -= addLanes(&sums[0])
	p.Hess[i] += addLanes(&sums[1])
	p.Sum += addLanes(&sums[2])
}

// addLanes adds partial sums up as vectors do: halves, halves of these, and so on.
func addLanes(x *[pairLanes]float64) float64 {
	return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}
