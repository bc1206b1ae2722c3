package booster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
	"boost/tree"
)

// cutsOf counts the features and the different cuts of numeric ones that trees use.
func cutsOf(m *booster.Model) (features, cuts int) {
	type cut struct {
		feature int32
		code    uint32
	}
	used, at := map[int32]bool{}, map[cut]bool{}
	c := m.Contents()
	for i := range c.Trees {
		for node, f := range c.Trees[i].Feature {
			used[f] = true
			if code := c.Trees[i].Code[node]; !c.Trees[i].Categorical[node] && code+1 < c.Cuts.Features[f].Regular {
				at[cut{f, code}] = true
			}
		}
	}
	return len(used), len(at)
}

// The trees of the first round find nothing that is used: whatever is new counts for the same
// share of its gain, and they are the trees of a training without. This holds for all outputs
// of the round. Later trees use fewer cuts and features.
func TestReuseStartsWithTheSecondRound(t *testing.T) {
	testenv.Unraced(t)
	for _, set := range shipped {
		table := openShipped(t, set.name)
		p := booster.Defaults()
		p.Objective, p.Rounds = set.objective, 12
		off := train(t, p, table)
		p.Tree.ReuseFeature = 0.5
		features := train(t, p, table)
		p.Tree.ReuseFeature, p.Tree.ReuseCut = 0, 0.5
		cuts := train(t, p, table)

		k := off.Outputs()
		for output := range k {
			got, want := features.Contents().Trees[output], off.Contents().Trees[output]
			if !sameTree(&got, &want) {
				t.Errorf("%s: output %d of the first round has another tree with reuse_feature", set.name, output)
			}
		}
		offFeatures, offCuts := cutsOf(off)
		fewer, _ := cutsOf(features)
		_, fewerCuts := cutsOf(cuts)
		if fewer > offFeatures || fewer == offFeatures && set.name == "ames_housing" {
			t.Errorf("%s: %d features with reuse_feature, %d without", set.name, fewer, offFeatures)
		}
		if fewerCuts > offCuts*2/3 {
			t.Errorf("%s: %d cuts with reuse_cut, %d without", set.name, fewerCuts, offCuts)
		}
	}
}

func sameTree(a, b *tree.Tree) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// A model that was trained without has the parameters that it had before there were these.
func TestReuseIsStoredWhereSet(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "ames_housing")
	for _, set := range []bool{false, true} {
		p := booster.Defaults()
		p.Objective, p.Rounds = "regression", 2
		if set {
			p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.25, 0.5
		}
		m := train(t, p, table)
		if stored := strings.Contains(string(m.Contents().Params), "reuse"); stored != set {
			t.Errorf("set %v: stored %v: %s", set, stored, m.Contents().Params)
		}
		again, err := booster.ParamsOf(m)
		if err != nil || again.Tree.ReuseFeature != p.Tree.ReuseFeature || again.Tree.ReuseCut != p.Tree.ReuseCut {
			t.Errorf("set %v: %v and %v are read back, error %v", set, again.Tree.ReuseFeature, again.Tree.ReuseCut, err)
		}
	}
}

// A model of the features and cuts of another one goes on with these: hardly any are new.
func TestReuseGoesOnFromAModel(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "ames_housing")
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 10
	base := train(t, p, table)
	before, beforeCuts := cutsOf(base)
	p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.99, 0.99
	after, afterCuts := cutsOf(train(t, p, table, booster.From(base)))
	_, freeCuts := cutsOf(train(t, func() booster.Params { q := p; q.Tree.ReuseFeature, q.Tree.ReuseCut = 0, 0; return q }(), table, booster.From(base)))
	if after > before+1 || afterCuts-beforeCuts > (freeCuts-beforeCuts)/10 {
		t.Errorf("%d features and %d cuts become %d and %d, and %d cuts without reuse", before, beforeCuts, after, afterCuts, freeCuts)
	}
}
