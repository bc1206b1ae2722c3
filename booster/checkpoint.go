package booster

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"boost/booster/internal/checkpoint"
	"boost/booster/model"
	"boost/internal/vfs"
	"boost/tree"
)

// Checkpoints say where and how often training is saved, so that a run that was stopped, killed too, can be gone
// on with. The zero value is for not at all.
//
// A checkpoint holds the trees so far and the raw scores, 8 bytes per row and output of all sets; boosting with
// dropout finds the scores again from the trees. A run that goes on ends in the bytes of one that was never stopped.
type Checkpoints struct {
	// Dir is the folder that they are written to. It is made if it is not there. The last two stay.
	Dir string
	// Every is how often, DefaultCheckpointEvery for the zero value. One more is written where a run ends,
	// also by an interruption or a limit of time.
	Every CheckpointEvery
	// Resume goes on from the newest checkpoint that is undamaged. One of other data or settings is
	// refused with an error that wraps ErrParams and names what differs; Params.Rounds alone may be
	// raised where no round depends on their number. Without any, training starts from round 0. What was chosen, and
	// what was passed over, is logged. An objective or a metric of the caller's own is known by its name only.
	Resume bool
}

// CheckpointEvery is a number of rounds, a time, or both, of which the one that is over first counts.
type CheckpointEvery struct {
	Rounds int
	Time   time.Duration
}

// DefaultCheckpointEvery is how often training is saved where nothing is said: a checkpoint takes less time than a round of
// most tables.
var DefaultCheckpointEvery = CheckpointEvery{Time: time.Minute}

// WithCheckpoints saves training in a folder, or goes on from what is saved there.
func WithCheckpoints(c Checkpoints) Option { return func(o *options) { o.saves = c } }

// openCheckpoints opens the folder.
func (r *run) openCheckpoints() error {
	if r.saves.Dir == "" || r.ranks != nil && r.ranks.Rank() > 0 { // the first rank saves
		return nil
	}
	var err error
	if r.folder, err = checkpoint.Open(vfs.OS, r.saves.Dir); errors.Is(err, vfs.ErrBusy) {
		return fmt.Errorf("%w: output.checkpoint: %w: give each run a folder of its own", ErrParams, err)
	} else if err != nil {
		return fmt.Errorf("output.checkpoint: %w", err)
	}
	return nil
}

// saving saves a run from time to time. A nil one does nothing.
type saving struct {
	every    CheckpointEvery
	settings map[string]json.RawMessage
	rounds   int // that are saved
	at       time.Time
	failed   bool // which has been logged
}

// afterRound saves the run if it is time.
func (s *saving) afterRound(b *boosting) {
	if s == nil {
		return
	}
	since := b.done - b.first - s.rounds
	if s.every.Rounds > 0 && (b.done-b.first)%s.every.Rounds == 0 || s.every.Time > 0 && since > 0 && time.Since(s.at) >= s.every.Time {
		s.save(b)
	}
}

// save writes a checkpoint if there are rounds that none has. Without room for it training goes on.
func (s *saving) save(b *boosting) {
	if s == nil || b.done-b.first == s.rounds {
		return
	}
	start := time.Now()
	state, err := b.state()
	if err == nil {
		err = b.folder.Write(state)
	}
	s.at = time.Now()
	if err != nil {
		if !s.failed {
			b.log.Warn("the checkpoint cannot be written: training goes on without it", "rounds", b.done-b.first, "reason", err.Error())
		}
		s.failed = true
		return
	}
	s.rounds, s.failed = b.done-b.first, false
	b.log.Debug("checkpoint written", "rounds", s.rounds, "took", s.at.Sub(start))
}

// state returns what is saved.
func (b *boosting) state() (*checkpoint.State, error) {
	stop := &b.judge.stop
	s := &checkpoint.State{
		Settings: b.saving.settings, Rounds: b.done - b.first, Last: b.p.Rounds, Outputs: b.outputs, Ended: b.ended,
		BestRound: stop.BestRound, BestValue: math.Float64bits(stop.BestValue), Trees: b.trees[b.first*b.outputs:],
	}
	if b.stopWhen != nil {
		s.BestRound = b.best
	}
	for _, set := range b.data.sets {
		for _, values := range set.history {
			s.History = append(s.History, checkpoint.Known(values[len(values)-s.Rounds:]))
		}
	}
	for _, bias := range b.Positions.Biases() {
		s.Positions = append(s.Positions, math.Float64bits(bias))
	}
	s.Scores = b.savedScores(b.best < b.done)
	var err error
	s.Wide, err = json.Marshal(b.wide)
	return s, err
}

// savedScores returns the raw scores that checkpoints hold: of the training rows, of each validation set, and, if
// there is need, of the training rows after the best round. Those of boosting with dropout follow from the trees
// together with what is kept beside them. So do those of a training of ranks, which may go on with other ones.
func (b *boosting) savedScores(best bool) [][]float64 {
	if b.dart != nil || b.ranks.Shared() {
		return nil
	}
	all := [][]float64{b.scores}
	for _, set := range b.data.sets {
		all = append(all, set.ofTrees())
	}
	if best && b.saved != nil {
		all = append(all, b.saved)
	}
	return all
}

// settings returns what the bytes of the model follow from, by name.
func (b *boosting) settings() (map[string]json.RawMessage, error) {
	text, err := b.p.ModelParams()
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if b.p.RateSchedule == ConstantRate {
		delete(all, "train.rounds") // see fits
	}
	var metrics, sets []string
	for _, m := range b.judge.metrics {
		metrics = append(metrics, m.Name())
	}
	for _, s := range b.data.sets {
		sets = append(sets, s.name)
	}
	base := ""
	if b.baseModel != nil {
		if base, err = b.baseModel.SHA256(); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]any{
		"numerics version": NumericsVersion, "train.objective": b.objective.Name(), "the metrics": metrics,
		"the validation sets": sets, "the rows of the validation sets": b.data.validPrints, "the training table": b.data.fingerprint,
		"the base model": base, "StoreLeaves": b.store != nil && !b.p.ErrorFeedback,
		"the rows of the fold": b.rows.Identity(), "the cuts are those of all folds": b.data.wholeCuts,
	} {
		if all[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// resume prepares for checkpoints, and goes on from the newest one if that is wanted.
func (b *boosting) resume() error {
	var s *checkpoint.State
	if b.folder != nil {
		var err error
		if s, err = b.latest(); err != nil {
			return err
		}
	}
	if b.saves.Dir == "" || !b.saves.Resume {
		return nil
	}
	if err := b.tell(&s); err != nil {
		return err
	}
	if s == nil {
		if b.most == 0 { // else the rounds are found, and training on all rows had not begun
			b.log.Warn("there is no checkpoint to go on from in " + b.saves.Dir + ": training starts from round 0")
		}
		return nil
	}
	b.restore(s)
	b.replay()
	if b.saving != nil {
		b.saving.rounds = s.Rounds
	}
	b.report.Resumed = s.Rounds
	b.log.Info("training goes on from the checkpoints in "+b.saves.Dir, "rounds", s.Rounds)
	return nil
}

// tell gives all ranks the state that the first has found.
func (b *boosting) tell(s **checkpoint.State) error {
	if !b.all.Shared() {
		return nil
	}
	var data []byte
	var err error
	if *s != nil {
		(*s).Scores = nil // of one process
		if data, err = (*s).Encode(); err != nil {
			return err
		}
	}
	data = b.all.Broadcast(data)
	if err := b.all.Err(); err != nil || len(data) == 0 || *s != nil {
		return err
	}
	if *s, err = checkpoint.Decode(data); err != nil {
		return err
	}
	return b.fits(*s)
}

// latest prepares for checkpoints, and returns the newest one if that is wanted; nil for none.
func (b *boosting) latest() (*checkpoint.State, error) {
	b.saving = &saving{every: b.saves.Every, at: time.Now()}
	if b.saving.every == (CheckpointEvery{}) {
		b.saving.every = DefaultCheckpointEvery
	}
	var err error
	if b.saving.settings, err = b.settings(); err != nil {
		return nil, err
	}
	if !b.saves.Resume {
		if names, err := b.folder.Files(); err != nil {
			return nil, fmt.Errorf("output.checkpoint: %w", err)
		} else if len(names) > 0 {
			b.log.Warn("training starts from round 0, and its checkpoints replace those in "+b.saves.Dir+": --resume would go on from them", "newest", names[0])
		}
		return nil, nil
	}
	s, skipped, err := b.folder.Latest(b.saving.settings, b.fits)
	for _, why := range skipped {
		b.log.Warn("a checkpoint is passed over: " + why.Error())
	}
	if errors.Is(err, checkpoint.ErrOther) {
		return nil, fmt.Errorf("%w: output.checkpoint: %w: train with the data and settings that it is of, name another folder, or leave --resume out to start anew", ErrParams, err)
	} else if err != nil {
		return nil, fmt.Errorf("output.checkpoint: %w", err)
	}
	return s, nil
}

// fits returns why a state of the run's own data and settings is not one that the run passes through.
func (b *boosting) fits(s *checkpoint.State) error {
	columns := len(b.data.sets) * len(b.judge.metrics)
	switch {
	case s.Outputs != b.outputs || s.Columns != columns:
		return fmt.Errorf("%w: %d outputs and %d metrics instead of %d and %d", checkpoint.ErrDamaged, s.Outputs, s.Columns, b.outputs, columns)
	case s.Rounds > b.p.Rounds:
		return fmt.Errorf("has %d rounds, more than train.rounds = %d (boost rollback makes a model of the first rounds of another)", s.Rounds, b.p.Rounds)
	case s.Last != b.p.Rounds && (s.Rounds == s.Last || s.Rounds == b.p.Rounds) && s.Rounds%b.p.MetricsEvery != 0:
		return fmt.Errorf("is of the last of %d rounds, whose metrics training for %d rounds passes over (metrics.every = %d)", s.Last, b.p.Rounds, b.p.MetricsEvery)
	}
	// Whether there is room for the scores of the best round depends on the machine.
	for i, scores := range b.savedScores(len(s.Scores) > len(b.savedScores(false))) {
		if len(s.Scores) > 0 && (i >= len(s.Scores) || len(s.Scores[i]) != len(scores)) {
			return fmt.Errorf("%w: it has scores of other rows", checkpoint.ErrDamaged)
		}
	}
	features := model.Features(b.data.cuts)
	for i := range s.Trees {
		if err := s.Trees[i].Validate(features); err != nil {
			return fmt.Errorf("%w: tree %d: %w", checkpoint.ErrDamaged, i, err)
		}
	}
	if len(s.Positions) != len(b.Positions.Biases()) {
		return fmt.Errorf("%w: it has %d positions, the rows %d", checkpoint.ErrDamaged, len(s.Positions), len(b.Positions.Biases()))
	}
	if err := json.Unmarshal(s.Wide, &b.wide); err != nil {
		return fmt.Errorf("%w: %w", checkpoint.ErrDamaged, err)
	}
	return nil
}

// restore brings the run to where a state is of.
func (b *boosting) restore(s *checkpoint.State) {
	b.judge.stop.BestRound, b.judge.stop.BestValue = s.BestRound, math.Float64frombits(s.BestValue)
	b.trees = append(b.trees, s.Trees...)
	b.lanes.reuse(s.Trees)
	b.ended = s.Ended
	for i, bits := range s.Positions {
		b.Positions.Biases()[i] = math.Float64frombits(bits)
	}
	last := b.first + s.Rounds
	if b.best = last; (b.judge.early || b.stopWhen != nil) && s.BestRound > 0 {
		b.best = s.BestRound
	}
	missesBest := b.best < last && len(s.Scores) <= len(b.savedScores(false))
	switch {
	case b.dart != nil:
		for b.done < last {
			b.repeatDropout()
		}
	case len(s.Scores) == 0: // a training of ranks
		b.addAgain(s.Trees)
	default:
		for i, scores := range b.savedScores(b.best < last && !missesBest) {
			copy(scores, s.Scores[i])
		}
	}
	if b.done = last; missesBest { // the scores of the best round are found from the trees in the end
		b.saved = nil
	}
	for i, set := range b.data.sets {
		for m := range b.judge.metrics {
			set.history[m] = append(set.history[m], checkpoint.Values(s.History[i*len(b.judge.metrics)+m])...)
		}
	}
}

// addAgain adds trees to the scores, as they were added when they were grown.
func (b *boosting) addAgain(trees []tree.Tree) {
	if !b.forest() {
		b.addAll(trees, b.data.coded(), b.scores)
	}
	for _, set := range b.data.sets {
		b.addAll(trees, b.data.codedOf(set), set.ofTrees())
	}
}

// replay tells StopWhen of the rounds that are restored.
func (b *boosting) replay() {
	if b.stopWhen == nil {
		return
	}
	b.ended = false
	for done := b.first + 1; done <= b.done && !b.ended; done++ {
		now := Round{Index: done - 1, Of: b.first + b.p.Rounds, Best: done, Elapsed: time.Since(b.start)}
		for _, set := range b.data.sets {
			for m, values := range set.history {
				e := Eval{Set: set.name, Metric: b.judge.metrics[m].Name(), Value: math.NaN()}
				if v := values[len(values)-1-(b.done-done)]; v != nil {
					e.Value = *v
				}
				now.Evals = append(now.Evals, e)
			}
		}
		if done%b.p.MetricsEvery != 0 && !slices.ContainsFunc(now.Evals, func(e Eval) bool { return !math.IsNaN(e.Value) }) {
			now.Evals = nil
		}
		b.best, b.ended = b.stopWhen(now)
		b.best = min(max(b.best, b.first+1), b.done)
	}
}

// repeatDropout goes through a round of boosting with dropout again whose trees are known.
func (b *boosting) repeatDropout() {
	rate := b.drop(b.done, b.p.RateOf(b.done-b.first))
	var trees []tree.Tree
	for k := range b.outputs {
		trees = append(trees, *scaled(&b.trees[b.done*b.outputs+k], rate))
	}
	b.addRound(trees, b.dart.Numbers, b.data.coded(), b.scores)
	for _, s := range b.data.sets {
		b.addRound(trees, s.numbers, b.data.codedOf(s), s.raw)
	}
	b.putBack(rate)
	if b.done++; b.done == b.best {
		b.dart.KeepBest()
	}
}
