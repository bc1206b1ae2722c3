package compress

import (
	"context"
	"math"
	"slices"

	"boost/booster/model"
)

const (
	// mostAttempts is how many candidates of a kind, whole or pruned, are certified at most.
	mostAttempts = 6
	// safer is by how much more room than one candidate the next larger one must have that is certified:
	// what fails says something of those that are like it.
	safer = 1.25
)

// attempt is a candidate to be certified, and the probability of error that is set aside for it.
type attempt struct {
	c       *Candidate
	alpha   float64
	verdict verdict
	passed  bool
}

// safety is how much room a candidate has up to a loss: 1 if its bound is that loss, and twice as
// much if the bound is half as far from the candidate's loss. Below 1 it does not keep the loss.
func (c *Candidate) safety(most float64) float64 {
	switch {
	case !(c.Bound <= most):
		return 0
	case c.Bound == c.Loss:
		return math.Inf(1)
	}
	return max(1, (most-c.Loss)/(c.Bound-c.Loss))
}

// attempts returns which candidates of a kind are to be certified, by size: the smallest that
// keeps the loss on the rows of the search, then each time the next with a quarter more room,
// and the one with the most room last. alpha is the probability of error of all together.
func (q *search) attempts(pruned bool, alpha float64) []attempt {
	var all []attempt
	least := 1.0
	var safest *Candidate
	most := 0.0
	for i := range q.found { // by size
		c := &q.found[i]
		if (c.Kept < 1) != pruned || !q.fits(c.Bytes) {
			continue
		}
		room := c.safety(q.settings.MaxLoss)
		if room < least {
			continue
		}
		if room > most {
			safest, most = c, room
		}
		if len(all) < mostAttempts-1 {
			all = append(all, attempt{c: c})
			least = min(safer*room, math.MaxFloat64)
		}
	}
	if len(all) > 0 && all[len(all)-1].c != safest {
		all = append(all, attempt{c: safest})
	}
	divide(all, pruned, alpha)
	return all
}

// divide sets the probability of error of all attempts aside for each of them: half the probability
// of the one before, the last two the same. Of pruned ones the last, with the most room, has a half first,
// and the others divide the rest: they are steps of one way, and where the last passes the others mostly do.
func divide(all []attempt, pruned bool, alpha float64) {
	if last := len(all) - 1; pruned && last > 0 {
		alpha /= 2
		all[last].alpha = alpha
		all = all[:last]
	}
	for i := range all {
		if i < len(all)-1 {
			alpha /= 2
		}
		all[i].alpha = alpha
	}
}

// fallback tests a candidate after the other from the last, which has the most room, to the
// smallest. The probability of error of one that passes is not used up, and goes to the next; that of
// one that fails is lost. carried is what the first has besides its own; what is left after the
// smallest is returned.
//
// That is the fallback procedure (Wiens, A fixed sequence Bonferroni procedure for testing multiple
// endpoints, Pharmaceutical Statistics 2, 2003; Wiens and Dmitrienko, The fallback procedure for
// evaluating a single family of hypotheses, Journal of Biopharmaceutical Statistics 15, 2005): for
// an order and probabilities that do not depend on the rows that certify, any candidate that
// loses more passes with at most the sum of the probabilities, however the tests depend on each other.
func fallback(all []attempt, carried float64, test func(*attempt) error) (float64, error) {
	for i := range slices.Backward(all) {
		a := &all[i]
		a.alpha += carried
		if err := test(a); err != nil {
			return 0, err
		}
		carried = 0
		if a.passed {
			carried = a.alpha
		}
	}
	return carried, nil
}

// certify tests a candidate on the rows that certify.
func (q *search) certify(ctx context.Context, a *attempt) error {
	m, err := model.Decode(a.c.file)
	if err != nil {
		return err
	}
	a.verdict, err = q.halves[1].compare(ctx, m, a.alpha)
	a.passed = err == nil && a.verdict.bound <= q.settings.MaxLoss
	return err
}

// chooseByLoss returns the smallest file whose loss is certified. Half of the probability of error is for
// candidates that are not pruned, half for those that are: so what pruning tries takes nothing from
// the others, and the file is never larger than without. What the whole ones have not used up serves the
// pruned ones as well.
func (q *search) chooseByLoss(ctx context.Context) (*Result, error) {
	var best *Result
	var chosen *Candidate
	carried := (1 - confidence) / 2
	for _, pruned := range []bool{false, true} {
		all := q.attempts(pruned, (1-confidence)/2)
		if len(all) == 0 {
			continue
		}
		if !pruned {
			carried = 0
		}
		var err error
		if carried, err = fallback(all, carried, func(a *attempt) error { return q.certify(ctx, a) }); err != nil {
			return nil, err
		}
		for i := range all {
			if a := &all[i]; a.passed {
				r, err := q.result(a.c, q.certificate(a.c, q.halves[1], a.verdict, 1-a.alpha))
				if err != nil {
					return nil, err
				}
				if r != nil {
					if best == nil || r.Bytes < best.Bytes {
						best, chosen = r, a.c
					}
					break
				}
			}
		}
	}
	if best == nil {
		return nil, ErrBudget{q.nearest(), q.found}
	}
	chosen.Chosen, chosen.Bytes = true, best.Bytes
	return best, nil
}

// chooseByBytes returns the file that loses least, on the rows of the search, of those that fit;
// without a bound the only one.
func (q *search) chooseByBytes(ctx context.Context) (*Result, error) {
	order := make([]*Candidate, len(q.found))
	for i := range order {
		order[i] = &q.found[i]
	}
	if q.settings.MaxBytes > 0 {
		slices.SortStableFunc(order, func(a, b *Candidate) int {
			switch x, y := a.cost(), b.cost(); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	for _, c := range order {
		if !q.fits(c.Bytes) {
			continue
		}
		certificate := Certificate{Method: ByLeaves, RawBound: c.raw, Marked: c.marked}
		if h := q.halves[1]; h != nil {
			m, err := model.Decode(c.file)
			if err != nil {
				return nil, err
			}
			v, err := h.compare(ctx, m, 1-confidence)
			if err != nil {
				return nil, err
			}
			certificate = q.certificate(c, h, v, confidence)
		}
		r, err := q.result(c, certificate)
		if err != nil {
			return nil, err
		}
		if r != nil {
			c.Chosen, c.Bytes = true, r.Bytes
			return r, nil
		}
	}
	return nil, ErrBudget{q.nearest(), q.found}
}

// result writes a candidate's certificate; nothing if its file does not fit with it.
func (q *search) result(c *Candidate, certificate Certificate) (*Result, error) {
	text, err := certificate.JSON()
	if err != nil {
		return nil, err
	}
	m, err := model.Decode(c.file)
	if err != nil {
		return nil, err
	}
	if m, err = m.WithCertificate(text); err != nil {
		return nil, err
	}
	file, err := m.Encode()
	if err != nil || !q.fits(int64(len(file))) {
		return nil, err
	}
	return &Result{Model: m, Bytes: int64(len(file)), Certificate: certificate, Candidates: q.found, NotPruned: q.notPruned}, nil
}
