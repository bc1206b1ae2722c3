package scan_test

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"boost/internal/kernel/scan"
)

// node is one feature of one node, row by row.
type node struct {
	regular    int
	hasMissing bool
	codes      []int
	grad       []int64
	hess       []uint64
}

// randomNode draws rows with codes up to qmax; many nodes have ties, empty codes,
// rows without gradient and hessian, or none missing.
func randomNode(r *rand.Rand, rows, regular int, qmax uint64) *node {
	n := &node{regular: regular, hasMissing: r.IntN(2) == 0}
	top := regular
	if n.hasMissing && r.IntN(3) > 0 {
		top++
	}
	kind, low := r.IntN(4), r.IntN(regular)
	for range rows {
		code := r.IntN(top)
		if kind == 1 { // half the codes are empty
			code = max(code, low)
		}
		g := int64(qmax/2) - r.Int64N(int64(qmax))
		h := r.Uint64N(qmax + 1)
		switch kind {
		case 2: // ties
			g, h = int64(r.IntN(3)-1), uint64(r.IntN(3))
		case 3:
			h = qmax
		}
		n.codes, n.grad, n.hess = append(n.codes, code), append(n.grad, g), append(n.hess, h)
	}
	return n
}

// leastSide sets what is known of a side with enough rows: they have the largest code, or no less than the
// least of all.
func (n *node) leastSide(r *scan.Rule) {
	r.LeastSide = r.MinRows * slices.Min(n.hess)
	if r.EqualHess {
		r.LeastSide = r.ProofHess + 1
	}
}

func (n *node) nCodes() int {
	if n.hasMissing {
		return n.regular + 1
	}
	return n.regular
}

// feature returns the histogram that the scans work on.
func (n *node) feature(counted bool) *scan.Feature[int64, uint64] {
	f := &scan.Feature[int64, uint64]{Grad: make([]int64, n.nCodes()), Hess: make([]uint64, n.nCodes()), Regular: n.regular}
	if counted {
		f.Count = make([]uint32, n.nCodes())
	}
	for i, c := range n.codes {
		f.Grad[c] += n.grad[i]
		f.Hess[c] += n.hess[i]
		f.Total.Grad += n.grad[i]
		f.Total.Hess += n.hess[i]
		if counted {
			f.Count[c]++
		}
	}
	f.Total.Rows = uint64(len(n.codes))
	return f
}

// side is what goes to one side of a split, summed without bounds on size.
type side struct {
	grad, hess big.Int
	rows       uint64
}

func (n *node) sides(goesLeft func(code int) bool) (left, right side) {
	for i, c := range n.codes {
		s := &right
		if goesLeft(c) {
			s = &left
		}
		s.grad.Add(&s.grad, big.NewInt(n.grad[i]))
		s.hess.Add(&s.hess, new(big.Int).SetUint64(n.hess[i]))
		s.rows++
	}
	return left, right
}

func (s *side) value(r *scan.Rule) (grad, hess float64) {
	g, _ := new(big.Float).SetInt(&s.grad).Float64()
	h, _ := new(big.Float).SetInt(&s.hess).Float64()
	return float64(g * r.GradScale), float64(h * r.HessScale)
}

// score is T(g)²/(h + λ) of a side.
func (s *side) score(r *scan.Rule, l2 float64) float64 {
	g, h := s.value(r)
	switch {
	case g > r.L1:
		g -= r.L1
	case g < -r.L1:
		g += r.L1
	default:
		g = 0
	}
	if h+l2 <= 0 {
		return 0
	}
	return float64(g*g) / (h + l2)
}

// allowed is the rest of a split's rules, with rows that are always counted.
func allowed(r *scan.Rule, left, right *side) bool {
	_, hl := left.value(r)
	_, hr := right.value(r)
	return left.rows >= r.MinRows && right.rows >= r.MinRows && hl >= r.MinChild && hr >= r.MinChild
}

func (n *node) missingRows() int {
	rows := 0
	for _, c := range n.codes {
		if c == n.regular {
			rows++
		}
	}
	return rows
}

// best is the reference's choice.
type best struct {
	found       bool
	gain        float64
	code        int
	missingLeft bool
	set         []uint32
}

// numeric tries every cut in the order of the tie rule and keeps the first best.
func (n *node) numeric(r *scan.Rule) best {
	var b best
	for code := range n.regular {
		for _, missingLeft := range []bool{true, false} {
			if n.missingRows() == 0 && (missingLeft || code == n.regular-1) {
				continue
			}
			left, right := n.sides(func(c int) bool {
				if c == n.regular {
					return missingLeft
				}
				return c <= code
			})
			if !allowed(r, &left, &right) {
				continue
			}
			if gain := left.score(r, r.L2) + right.score(r, r.L2); !b.found || gain > b.gain {
				b = best{true, gain, code, missingLeft, nil}
			}
		}
	}
	return b
}

// candidateSet is one way to group levels.
type candidateSet struct {
	set         []uint32
	missingLeft bool
	l2          float64
}

// sets lists the category sets of docs/architecture.md, Splits.
func (n *node) sets(r *scan.Rule, c *scan.CatRule) []candidateSet {
	grad, hess := make([]int64, n.regular), make([]uint64, n.regular)
	var sumHess uint64
	for i, code := range n.codes {
		sumHess += n.hess[i]
		if code < n.regular {
			grad[code] += n.grad[i]
			hess[code] += n.hess[i]
		}
	}
	est := func(code uint32) float64 {
		if sumHess == 0 {
			return 0
		}
		return float64(hess[code]) * float64(len(n.codes)) / float64(sumHess)
	}
	var sets [][]uint32
	l2 := r.L2
	var present []uint32
	for code, h := range hess {
		if h > 0 {
			present = append(present, uint32(code))
		}
	}
	if len(present) <= c.OneHotMax {
		for _, code := range present {
			sets = append(sets, []uint32{code})
		}
	} else {
		l2 = r.L2 + c.L2
		sets = prefixes(present, grad, hess, est, r, c)
	}
	var all []candidateSet
	missing := n.missingRows() > 0
	if missing {
		all = append(all, candidateSet{nil, true, r.L2})
	}
	for _, s := range sets {
		if missing {
			all = append(all, candidateSet{s, true, l2})
		}
		all = append(all, candidateSet{s, false, l2})
	}
	return all
}

func prefixes(present []uint32, grad []int64, hess []uint64, est func(uint32) float64, r *scan.Rule, c *scan.CatRule) [][]uint32 {
	type level struct {
		code      uint32
		statistic float64
	}
	var levels []level
	for _, code := range present {
		if est(code) >= c.Smooth {
			g, h := float64(float64(grad[code])*r.GradScale), float64(float64(hess[code])*r.HessScale)
			levels = append(levels, level{code, g / (h + c.Smooth)})
		}
	}
	slices.SortFunc(levels, func(a, b level) int {
		if a.statistic != b.statistic {
			if a.statistic < b.statistic {
				return -1
			}
			return 1
		}
		return int(a.code) - int(b.code)
	})
	var sets [][]uint32
	for range 2 {
		var set []uint32
		group := 0.0
		for i, l := range levels {
			if i == c.MaxPerSide {
				break
			}
			set = append(set, l.code)
			if group += est(l.code); group >= c.MinPerGroup {
				group = 0
				sorted := slices.Clone(set)
				slices.Sort(sorted)
				sets = append(sets, sorted)
			}
		}
		slices.Reverse(levels)
	}
	return sets
}

// categorical tries every set; equal gains go to the lexicographically lower set, then
// to the missing rows on the left.
func (n *node) categorical(r *scan.Rule, c *scan.CatRule) best {
	var b best
	for _, s := range n.sets(r, c) {
		left, right := n.sides(func(code int) bool {
			if code == n.regular {
				return s.missingLeft
			}
			return slices.Contains(s.set, uint32(code))
		})
		if !allowed(r, &left, &right) {
			continue
		}
		gain := left.score(r, s.l2) + right.score(r, s.l2)
		lower := slices.Compare(s.set, b.set)
		if !b.found || gain > b.gain || gain == b.gain && (lower < 0 || lower == 0 && s.missingLeft && !b.missingLeft) {
			b = best{true, gain, 0, s.missingLeft, s.set}
		}
	}
	return b
}
