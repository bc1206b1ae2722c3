package dropout

import "boost/internal/rng"

// State is the state of boosting with dropout: a round leaves some of those before it out of the
// scores that its gradients are taken at, and is put back with them, all at lower weights. While
// training goes on, trees hold the leaf values of learning rate 1, and each round has a weight that they are multiplied by.
//
// It costs 8 bytes per row and output, and leaf numbers.
type State struct {
	*Params
	seed    uint64
	weights []float64    // by round of the run
	best    []float64    // as they were after the best round
	Dropped []int        // rounds of the run that the current round leaves out, ascending
	Factor  float64      // on their weights once the round has been grown
	Without []float64    // what they add to the scores of the training rows, outputs × n
	Numbers *LeafNumbers // of the training rows; nil where there is no room for them
}

// New begins a run of so many scores.
func New(p *Params, seed uint64, scores int) *State {
	return &State{Params: p, seed: seed, Without: make([]float64, scores)}
}

// Choose draws the rounds to be left out, a pure function of the seed, the round and the weights, and
// returns the weight of the new round.
func (d *State) Choose(round int, rate float64) float64 {
	d.draw(uint64(round))
	d.Factor = 1
	if len(d.Dropped) == 0 {
		return rate
	}
	k := float64(len(d.Dropped))
	switch d.Normalize {
	case Tree:
		d.Factor, rate = k/(k+rate), rate/(k+rate)
	case Forest:
		d.Factor, rate = 1/(1+rate), rate/(1+rate)
	default:
		d.Factor, rate = k/(k+1), rate/(k+1)
	}
	return rate
}

func (d *State) draw(round uint64) {
	d.Dropped = d.Dropped[:0]
	n := float64(len(d.weights))
	ofRound := rng.Key(d.seed, rng.DropRounds, round, 1)
	if n == 0 || rng.Unit(rng.Draw(ofRound, 0)) < d.SkipDrop {
		return
	}
	all, chance := 0.0, d.DropRate
	for _, w := range d.weights {
		all += w
	}
	if d.MaxDrop > 0 {
		chance = min(chance, float64(d.MaxDrop)/n)
	}
	key := rng.Key(d.seed, rng.DropRounds, round, 0)
	for i, w := range d.weights {
		p := chance
		if d.Sample == Weighted {
			p = chance * (w * n / all)
		}
		if rng.Unit(rng.Draw(key, uint64(i))) < p {
			d.Dropped = append(d.Dropped, i)
		}
		if d.MaxDrop > 0 && len(d.Dropped) == d.MaxDrop {
			return
		}
	}
	if d.OneDrop && len(d.Dropped) == 0 {
		d.Dropped = append(d.Dropped, d.one(rng.Unit(rng.Draw(ofRound, 1)), all))
	}
}

// one returns the round that a number of [0, 1) falls on, where weights add up to all.
func (d *State) one(u, all float64) int {
	if d.Sample == Uniform {
		return int(u * float64(len(d.weights)))
	}
	at := float64(u * all)
	for i, w := range d.weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(d.weights) - 1
}

// Weight returns the weight of a round of the run.
func (d *State) Weight(round int) float64 { return d.weights[round] }

// PutBack gives the dropped rounds their new weights, and the round that was grown without them its own.
func (d *State) PutBack(weight float64) {
	for _, i := range d.Dropped {
		d.weights[i] *= d.Factor
	}
	d.weights = append(d.weights, weight)
}

// KeepBest keeps the weights of now as those of the best model.
func (d *State) KeepBest() { d.best = append(d.best[:0], d.weights...) }

// Best returns the weight of a round in the best model.
func (d *State) Best(round int) float64 { return d.best[round] }
