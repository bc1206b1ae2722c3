//go:build amd64 && !purego

package loss

import (
	"math"

	"boost/internal/cpu"
)

// rowVectors is Row or RowByGain up to add, and reports whether it has been done. Numbers behind the rows are read and written: their pairs add 0.
func (p *Pairs) rowVectors(i int, byGain bool, sums *pairSums) bool {
	if level < cpu.AVX2 || i+1 >= len(p.Scores) {
		return false
	}
	own, score, offset, mask := p.Odds[i], p.Scores[i], 1.0, uint64(0)
	if p.Distant {
		offset, mask = nearPair, math.MaxUint64
	}
	wide := level == cpu.AVX512
	for j := i + 1; j < len(p.Scores); j += perCall {
		n := uint64(min(len(p.Scores)-j+pairLanes-1, perCall) &^ (pairLanes - 1))
		g, h, s, o := &p.Grad[j], &p.Hess[j], &p.Scores[j], &p.Odds[j]
		switch {
		case byGain && wide:
			pairsByGainAVX512(g, h, s, o, n, own, score, offset, mask, (*[3][8]float64)(sums), &p.Gains[j], &p.Discounts[j], p.Gains[i], p.Discounts[i])
		case byGain:
			pairsByGainAVX2(g, h, s, o, n, own, score, offset, mask, (*[3][8]float64)(sums), &p.Gains[j], &p.Discounts[j], p.Gains[i], p.Discounts[i])
		case wide:
			pairsAVX512(g, h, s, o, n, own, score, offset, mask, (*[3][8]float64)(sums), &p.Change[j])
		default:
			pairsAVX2(g, h, s, o, n, own, score, offset, mask, (*[3][8]float64)(sums), &p.Change[j])
		}
	}
	return true
}
