package tune

import (
	"fmt"
	"math"
	"time"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
	"boost/internal/format"
)

// plan is what fits into a budget.
type plan struct {
	Trials       int // that about fit, before the training; 0 = no search
	Members      int // models that are averaged; 1 = one model
	Most         int // the same where time is left; 0 = no more
	LearningRate float64
	Rounds       int           // that a model has, about; 0 = as many as there is time for
	Training     time.Duration // after the search, about
	Place        place
}

// place is where a plan stands among all: those before it make better models.
type place int

// The places. Faster plans have a higher learning rate than the one that was begun with, which takes fewer rounds.
const (
	placeSearch    place = iota
	placeAll             // models, and no search
	placeFewKnown        // fewer models, where it is known how many rounds they need
	placeBetween         // all models, as much faster as they have to be, where the same is known
	placeAllFaster       // all models, twice as fast
	placeFew
	placeFewFaster
	placePair
	placeOne
	placeOneFaster
	placeQuick // one model with Budget.Quick, or four times as fast
	placeNone
)

// String returns the plan in words.
func (p plan) String() string {
	what := "one model"
	if p.Members > 1 {
		what = fmt.Sprintf("the mean of %d models", p.Members)
	}
	if p.Most > p.Members {
		what = fmt.Sprintf("the mean of %d to %d models", p.Members, p.Most)
	}
	if p.Trials > 0 {
		what = fmt.Sprintf("a search of about %d trials, then %s of about %d rounds", p.Trials, what, p.Rounds)
	} else if p.Rounds == 0 {
		return fmt.Sprintf("%s with learning rate %g, of as many rounds as there is time for", what, p.LearningRate)
	} else {
		what = fmt.Sprintf("%s with learning rate %g, about %d rounds", what, p.LearningRate, p.Rounds)
	}
	if p.Most > 0 { // until the time is over
		return what + " each"
	}
	return fmt.Sprintf("%s in %s", what, format.Seconds(p.Training.Seconds()))
}

// grown returns the plan that one of few models comes to in the end: where there is time, all are trained.
func (p plan) grown(rate float64) plan {
	if p.LearningRate > rate {
		p.Place = min(p.Place, placeAllFaster)
	} else {
		p.Place = min(p.Place, placeAll)
	}
	return p
}

// What plans are made with.
const (
	budgetFolds   = 5  // of trials
	budgetMembers = 10 // models of folds after a search
	budgetBlended = 8  // models of all rows, where they can be averaged
	mostBlended   = 12 // the same where time is left
	// sumOfRates is about what the learning rates add to of the rounds that are kept where early stopping ends training.
	sumOfRates = 15
	// share is the part of a budget that is planned for, knownShare where rounds are known. The rest is for what a guess is wrong by.
	share, knownShare = 0.85, 0.95
	// averageShare is the part of the time for training that judging and averaging its models takes: 0.05 on tables of numbers, 0.2 where
	// columns have thousands of levels. saveShare is that of a budget for what follows.
	averageShare, saveShare = 0.12, 0.02
	// margin is on the time of the training after a search, which holds more models in memory than its trial, while other programs may
	// take more of the machine than they did then. Of models of all rows, fewer are averaged where time is short.
	margin, blendMargin = 2, 1.3
	// longer is by how many times more rounds than guessed may be best. Where they are more still, there are fewer models than planned.
	longer = 1.5
	// onMost is the share of the rows that is trained on where the others stop training, whole of all rows beside those of a trial's fold.
	// Symmetric trees take a little less time than others.
	onMost, whole, bothKinds = 0.9, budgetFolds / (budgetFolds - 1.0), 1 + 0.8
	// leastTrials is how many must fit for a search, the first of which is of the parameters that it begins with.
	leastTrials = 3
)

// averaging is how models are averaged in the end.
type averaging struct {
	members int
	blends  bool // they see all rows, and every second one has symmetric trees
}

// averagingOf returns how models of a table are averaged.
func averagingOf(p *booster.Params, table *dataset.Table) averaging {
	switch {
	case search.Blends(*p, table) && p.HoldsOut(0): // the first models find their rounds
		return averaging{budgetBlended, true}
	case !search.Averages(p, table):
		return averaging{members: 1}
	}
	return averaging{members: budgetMembers}
}

// most returns how many models are averaged, of which there is time for so many at least.
func (w averaging) most(members int) int {
	if w.blends && members > 1 {
		return mostBlended
	}
	return 0
}

// rounds returns how many of one fold of a trial take as long as training so many models, each of which stops after some and keeps others.
func (w averaging) rounds(members int, stop, kept float64) float64 {
	switch {
	case members == 1: // on most rows, and then again on all of them
		return (onMost*stop + kept) * whole
	case w.blends: // the first of each kind on most rows, and then all on all rows
		return (onMost*stop + float64(members)/2*kept) * bothKinds * whole
	}
	return float64(members-1) * stop * whole
}

// reserved returns the seconds that have to be left for a training of so many.
func (w averaging) reserved(training float64) float64 {
	if w.blends {
		return training * blendMargin
	}
	return training * margin / (1 - averageShare)
}

// pace is how long rounds take, and how many there are.
type pace struct {
	each   float64 // seconds of a round of one fold while others are trained beside it; +Inf where it took too long to be measured
	judged int     // folds of a trial; 0 where there can be none
	rates  float64 // what the learning rates add to of the rounds that are kept
	known  bool    // by a training, not guessed
}

// rounds returns after how many rounds training stops at a learning rate, and how many are kept, where the latter are so many times more
// than the pace says.
func (c *pace) rounds(p *booster.Params, rate, more float64) (stop, kept float64) {
	most := float64(p.Rounds)
	if p.EarlyStopping == 0 {
		return most, most
	}
	kept = math.Ceil(more * math.Ceil(c.rates/rate))
	return min(most, kept+float64(patience(p.EarlyStopping, p.LearningRate, rate))), min(most, kept)
}

// slower is how much lower a learning rate must be to be worth another training.
const slower = 0.8

// fits returns the first plan that fits into the time that is left and is better than another one, if there is one.
func (c *pace) fits(p *booster.Params, space Space, w averaging, left time.Duration, than plan) (plan, bool) {
	rate, free := p.LearningRate, false
	for i := range space {
		free = free || space[i].Name == "train.learning_rate"
	}
	stop, kept := c.rounds(p, rate, 1)
	after := stop // of the training after the search
	if !w.blends {
		after = kept // which is found
	}
	trial, training := c.each*float64(c.judged)*stop, c.each*w.rounds(w.members, after, kept)
	if spare := left.Seconds() - w.reserved(training); 2*spare >= leastTrials*trial && len(space) > 0 && c.judged > 0 && than.Place > placeSearch {
		return plan{Trials: max(1, int(2*spare/trial)), Members: w.members, Most: w.most(w.members), LearningRate: rate, Rounds: int(kept), Training: seconds(training)}, true
	}
	fewer, known := max(w.members/2, 1), c.known && w.blends
	between := math.Inf(1) // the lowest rate at which all models fit
	if known {
		// Rounds, and those without a better loss, are inverse to the rate.
		atOne := c.each * w.rounds(w.members, c.rates+float64(p.EarlyStopping)*rate, c.rates)
		between = math.Ceil(1000*atOne/(knownShare*left.Seconds())) / 1000
		if than.Members > 1 && between > slower*than.LearningRate {
			between = math.Inf(1)
		}
	}
	for _, next := range []struct {
		place
		members int
		rate    float64
	}{
		{placeAll, w.members, rate}, {placeFewKnown, fewer, rate}, {placeBetween, w.members, between}, {placeAllFaster, w.members, 2 * rate},
		{placeFew, fewer, rate}, {placeFewFaster, fewer, 2 * rate}, {placePair, 2, 2 * rate},
		{placeOne, 1, rate}, {placeOneFaster, 1, 2 * rate}, {placeQuick, 1, 4 * rate},
	} {
		if next.place >= than.Place {
			break
		}
		switch needsKnown := next.place == placeFewKnown || next.place == placeBetween; {
		case next.rate > rate && !free, next.rate > 4*rate, next.place == placePair && !w.blends, needsKnown && !known:
			continue
		}
		r := max(rate, min(next.rate, 0.3))
		more := 1.0
		if w.blends && next.members > 1 && !known {
			more = longer
		}
		stop, planned := c.rounds(p, r, more)
		_, kept := c.rounds(p, r, 1)
		most := share
		if known && next.members == w.members { // of which there may be fewer
			most = knownShare
		}
		if training := c.each * w.rounds(next.members, stop, planned); training <= most*left.Seconds() {
			return plan{Members: next.members, Most: w.most(next.members), LearningRate: r, Rounds: int(kept), Training: seconds(training), Place: next.place}, true
		}
	}
	return plan{Members: 1, Place: placeNone}, false
}
