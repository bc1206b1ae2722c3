package histogram

import (
	"math"
	"time"
)

// Trial finds the fastest of several plans on the passes of a run's first trees. Each
// of these trees is grown by one of the plans; since all give the same sums, no pass is
// made for the measurement alone.
//
// A first tree, by the first plan, is not measured: it meets cold memory. The plans then
// take turns, tree by tree, several times, so that a slow moment of the machine does not hit
// one of them alone, and of each plan the shortest time counts. Plans that the first turn
// shows to be far slower than another are left out of the others; where the root shows it
// already, the rest of the tree is grown by the first plan.
type Trial struct {
	plans []Plan
	costs []planCost
	at    int // plan of the current tree; -1 for the first tree
	turns int // that are over
	most  int // turns
	done  bool

	root, rest  pass    // of the current tree
	gaveUp      bool    // on the current tree's plan, at its root
	ofRoot, all float64 // updates of all measured trees: of their roots, and in all
}

// pass adds up passes: a row of one feature is one update.
type pass struct {
	updates float64
	time    time.Duration
}

// planCost is what a plan takes for an update, in ns, by its best tree: in the dense
// pass over a root's rows, and in those over the scattered rows of the nodes below.
type planCost struct {
	root, rest float64
	out        bool // not measured again, and not chosen
}

const (
	// MostTurns are as many as differ from more by less than plans have to. LeastTurns let a
	// slow moment pass.
	MostTurns  = 3
	LeastTurns = 2
	// farSlower: a plan that takes so many times as long as the best one is not tried again.
	farSlower = 1.5
	// worthLeaving: a plan has to take at most this share of the first one's time to
	// be preferred to it; less lies within what repeated measurements differ by.
	worthLeaving = 0.9
)

// NewTrial returns a Trial of the given plans in so many turns. The first plan is kept unless
// another is clearly faster.
func NewTrial(plans []Plan, turns int) *Trial {
	t := &Trial{plans: plans, costs: make([]planCost, len(plans)), at: -1, most: turns, done: len(plans) < 2}
	for i := range t.costs {
		t.costs[i] = planCost{root: math.Inf(1), rest: math.Inf(1)}
	}
	return t
}

// TrialTrees is the most trees that a Trial of so many plans and turns takes.
func TrialTrees(plans, turns int) int { return 1 + turns*plans }

// Done says that the plans are measured.
func (t *Trial) Done() bool { return t.done }

// Plans returns the plans. They must not be changed.
func (t *Trial) Plans() []Plan { return t.plans }

// Costs returns the ns that each plan takes for an update, one row of one feature: of
// roots alone, where these were enough to leave it out; +Inf of one that was not tried.
func (t *Trial) Costs() []float64 {
	costs := make([]float64, len(t.plans))
	for i := range costs {
		costs[i] = t.perUpdate(i)
	}
	return costs
}

// Plan returns the plan by which the current tree goes on, and the best plan once that is
// known.
func (t *Trial) Plan() Plan {
	switch {
	case t.done:
		return t.plans[t.best()]
	case t.gaveUp || t.at < 0:
		return t.plans[0]
	}
	return t.plans[t.at]
}

// AddRoot notes the pass of the current tree's root, over so many rows × features. It
// says whether the tree goes on by another plan.
func (t *Trial) AddRoot(updates int, took time.Duration) (changed bool) {
	t.root = pass{float64(updates), took}
	best := math.Inf(1)
	for i := range t.costs {
		best = min(best, t.costs[i].root)
	}
	t.gaveUp = t.at > 0 && t.turns == 0 && t.root.perUpdate() > farSlower*best
	return t.gaveUp
}

// Add notes a pass of a node below the root.
func (t *Trial) Add(updates int, took time.Duration) {
	t.rest.updates += float64(updates)
	t.rest.time += took
}

// Next ends the current tree. One without a pass has shown nothing, and is repeated.
func (t *Trial) Next() {
	root, rest, gaveUp := t.root, t.rest, t.gaveUp
	t.root, t.rest, t.gaveUp = pass{}, pass{}, false
	if t.done || root.updates == 0 {
		return
	}
	if t.at >= 0 {
		c := &t.costs[t.at]
		c.root = min(c.root, root.perUpdate())
		if c.out = gaveUp; !gaveUp { // the rest was another plan's
			c.rest = min(c.rest, rest.perUpdate())
		}
		t.ofRoot += root.updates
		t.all += root.updates + rest.updates
	}
	for t.at++; t.at < len(t.plans) && (t.costs[t.at].out || t.hopeless(t.at)); t.at++ {
	}
	if t.at < len(t.plans) {
		return
	}
	t.at = 0 // which is never left out
	t.turns++
	t.done = t.leaveOut() < 2 || t.turns == t.most
}

// hopeless leaves out a plan that was not tried and differs from one that was given up at its
// root only in the number of rows at a time.
func (t *Trial) hopeless(i int) bool {
	for j, p := range t.plans[:i] {
		if t.turns == 0 && t.costs[j].out && p.Strategy == t.plans[i].Strategy && p.Mirror == t.plans[i].Mirror {
			t.costs[i].out = true
		}
	}
	return t.costs[i].out
}

// perUpdate returns the ns of an update, +Inf where there was none.
func (p pass) perUpdate() float64 {
	if p.updates == 0 {
		return math.Inf(1)
	}
	return float64(p.time.Nanoseconds()) / p.updates
}

// leaveOut drops the plans that are far slower than the best one, but not the first
// plan, and returns how many are left.
func (t *Trial) leaveOut() (left int) {
	best := math.Inf(1)
	for i, c := range t.costs {
		if !c.out {
			best = min(best, t.perUpdate(i))
		}
	}
	for i := range t.costs {
		c := &t.costs[i]
		if c.out = c.out || i > 0 && t.perUpdate(i) > farSlower*best; !c.out {
			left++
		}
	}
	return left
}

// perUpdate returns the ns that the i-th plan takes for an update, on the average over
// roots and nodes below as there were in all measured trees.
func (t *Trial) perUpdate(i int) float64 {
	c := t.costs[i]
	if math.IsInf(c.rest, 1) {
		return c.root
	}
	share := t.ofRoot / t.all
	return float64(c.root*share) + float64(c.rest*(1-share))
}

func (t *Trial) best() int {
	at := 0
	for i, c := range t.costs {
		if !c.out && t.perUpdate(i) < t.perUpdate(at) {
			at = i
		}
	}
	if t.perUpdate(at) > worthLeaving*t.perUpdate(0) {
		return 0
	}
	return at
}
