package accuracy

import (
	"context"
	"fmt"
	"math"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/ptq"
)

// Reuse is a way of training for size: tree.reuse_feature and tree.reuse_cut.
type Reuse struct{ Feature, Cut float64 }

// Sized is what becomes of it, as means over re-splits: the first rounds of the models,
// compressed with leaf values in Q4_0 and without node statistics.
type Sized struct {
	Rounds         int
	Features, Cuts float64 // used
	Bytes          float64 // of the compressed file
	Full           float64 // loss on held-out rows,
	Loss           float64 // with the leaf values of the compressed file
}

// Reuse trains on the training rows of re-splits 0 … splits-1 and looks at the first rounds of
// each model, as many as each of the numbers says.
func (t Trainer) Reuse(ctx context.Context, s *Set, way Reuse, rounds []int, splits int) ([]Sized, error) {
	all, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	classes := classKeys(s, all)
	p := t.params(s)
	p.Tree.ReuseFeature, p.Tree.ReuseCut, p.Rounds = way.Feature, way.Cut, rounds[len(rounds)-1]
	found := make([]Sized, len(rounds))
	for split := range splits {
		rest, held := Split(split, classes)
		test := all.Take(held)
		whole, err := booster.Train(ctx, p, all.Take(rest))
		if err != nil {
			return nil, err
		}
		for i, k := range rounds {
			m, err := whole.Prefix(k)
			if err != nil {
				return nil, err
			}
			found[i].Rounds = k
			if err := found[i].add(ctx, s, m, test, 1/float64(splits)); err != nil {
				return nil, fmt.Errorf("%d rounds: %w", k, err)
			}
		}
	}
	return found, nil
}

// add adds a model to the means.
func (z *Sized) add(ctx context.Context, s *Set, m *model.Model, test *dataset.Table, share float64) error {
	narrow, err := m.Narrowed(model.NameKnown)
	if err != nil {
		return err
	}
	sum, err := m.SHA256()
	if err != nil {
		return err
	}
	c := narrow.Contents()
	leaves, used := make([]int, len(c.Trees)), map[int32]bool{}
	for i := range c.Trees {
		leaves[i] = c.Trees[i].NumLeaves()
		for _, f := range c.Trees[i].Feature {
			used[f] = true
		}
	}
	bounds, err := model.Groups(model.GroupTree, leaves, c.Outputs)
	if err != nil {
		return err
	}
	form, err := ptq.ParseForm("q4_0")
	if err != nil {
		return err
	}
	values, err := ptq.Encode(form, ptq.Calibration{}, narrow.Leaves(), bounds)
	if err != nil {
		return err
	}
	small, err := narrow.Compress(model.Compression{Leaves: values, Grouping: model.GroupBlock, Source: sum})
	if err != nil {
		return err
	}
	b, err := small.Encode()
	if err != nil {
		return err
	}
	full, err := s.LossOf(ctx, m, test)
	if err != nil {
		return err
	}
	loss, err := s.LossOf(ctx, small, test)
	if err != nil {
		return err
	}
	z.Features += share * float64(len(used))
	z.Cuts += share * float64(len(c.Cuts.Values)+len(c.Cuts.Values64))
	z.Bytes += share * float64(len(b))
	z.Full += share * full
	z.Loss += share * loss
	return nil
}

// AtEqualLoss returns how many times the bytes of plain models those of others take that are
// as good: the geometric mean over the losses that the plain ones have after each number of
// rounds up to their best, of the fewest bytes that reach it, log-linearly between numbers of
// rounds. missed is how many of these losses, of all, the others never reach; those do not
// count.
func AtEqualLoss(plain, others []Sized) (ratio float64, missed, all int) {
	best := 0
	for i := range plain {
		if plain[i].Loss < plain[best].Loss {
			best = i
		}
	}
	logs := 0.0
	for _, p := range plain[:best+1] {
		all++
		bytes, ok := bytesFor(others, p.Loss)
		if !ok {
			missed++
			continue
		}
		logs += math.Log(bytes / p.Bytes)
	}
	return math.Exp(logs / float64(all-missed)), missed, all
}

// bytesFor returns the bytes at which models first have a loss; ok is false where they never
// do, or had it before the fewest rounds looked at.
func bytesFor(models []Sized, loss float64) (bytes float64, ok bool) {
	for i, m := range models {
		switch {
		case m.Loss > loss:
			continue
		case m.Loss == loss:
			return m.Bytes, true
		case i == 0:
			return 0, false
		}
		before := models[i-1]
		t := (before.Loss - loss) / (before.Loss - m.Loss)
		return before.Bytes * math.Pow(m.Bytes/before.Bytes, t), true
	}
	return 0, false
}
