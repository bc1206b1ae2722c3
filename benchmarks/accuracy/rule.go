package accuracy

import (
	"boost/benchmarks/score"
)

// The bounds of docs/accuracy.md.
const (
	lowShare, highShare = 0.01, 0.95 // of the constant's loss: outside, a peer's loss measures nothing
	ratioMin, ratioMax  = 0.8, 1.25  // one set cannot carry the mean
	meanBound           = 1.005      // of the geometric mean to LightGBM
	worstBound          = 1.01       // to the worst peer, on every large set
	errorsAllowed       = 2          // standard errors, on every small set
)

// Result is what we reach on one set.
type Result struct {
	Set     string    `json:"set"`
	Loss    float64   `json:"loss"`             // on test.csv.gz
	Splits  []float64 `json:"splits,omitempty"` // small sets: losses on the held-out rows of re-splits 0, 1, …
	Seconds float64   `json:"seconds"`          // of all training of this set
	Commit  string    `json:"commit"`           // of the program that trained it
}

// PeerSplits are the peers' losses on the re-splits of small sets, made by
// benchmarks/python/accuracy_small.py.
type PeerSplits struct {
	Sets map[string]struct {
		Rows    int                  `json:"rows"`
		HeldOut int                  `json:"held_out"`
		Losses  map[string][]float64 `json:"losses"`
	} `json:"sets"`
	Versions map[string]string `json:"versions"`
	Rounds   int               `json:"rounds"`
}

// Large is the verdict on one set with enough test rows.
type Large struct {
	*Set
	Result
	Ratios  map[string]float64 // ours to the peer's, where the peer's loss counts
	Worst   string             // the worst peer whose loss counts; "" = none counts
	ToWorst float64
	OK      bool
}

// Small is the verdict on one set with few test rows, over re-splits.
type Small struct {
	*Set
	Result
	Ours       float64            // mean loss
	Means      map[string]float64 // mean loss by peer
	Worst      string
	Difference score.Paired // ours - worst
	OK         bool
}

// Verdict is the rule of docs/accuracy.md applied to all results.
type Verdict struct {
	Large []Large
	Small []Small
	Means map[string]float64 // geometric mean of our ratios by peer
	Count map[string]int     // sets in that mean
	OK    bool
}

// Judge applies the rule to results of sets. A small set without the peers' or our
// re-splits fails.
func Judge(sets []*Set, results map[string]Result, peers PeerSplits) Verdict {
	v := Verdict{Means: map[string]float64{}, Count: map[string]int{}, OK: true}
	ratios := map[string][]float64{}
	for _, s := range sets {
		r, have := results[s.Name]
		if !have {
			continue
		}
		if !s.Large() {
			small := judgeSmall(s, r, peers.Sets[s.Name].Losses)
			v.Small = append(v.Small, small)
			v.OK = v.OK && small.OK
			continue
		}
		large := judgeLarge(s, r)
		v.Large = append(v.Large, large)
		v.OK = v.OK && large.OK
		for peer, ratio := range large.Ratios {
			ratios[peer] = append(ratios[peer], min(max(ratio, ratioMin), ratioMax))
		}
	}
	for peer, list := range ratios {
		v.Means[peer], v.Count[peer] = score.GeometricMean(list), len(list)
	}
	if mean, have := v.Means[yardstick]; have {
		v.OK = v.OK && mean <= meanBound
	}
	return v
}

func judgeLarge(s *Set, r Result) Large {
	l := Large{Set: s, Result: r, Ratios: map[string]float64{}, OK: true}
	for _, peer := range peerNames {
		loss := s.Peers[peer]
		if loss < lowShare*s.Constant || loss > highShare*s.Constant {
			continue
		}
		l.Ratios[peer] = r.Loss / loss
		if l.Worst == "" || loss > s.Peers[l.Worst] {
			l.Worst, l.ToWorst = peer, r.Loss/loss
		}
	}
	// A loss that is no number is not above any bound, hence the form of the test.
	l.OK = l.Worst == "" || l.ToWorst <= worstBound
	return l
}

func judgeSmall(s *Set, r Result, losses map[string][]float64) Small {
	small := Small{Set: s, Result: r, Ours: score.Mean(r.Splits), Means: map[string]float64{}}
	for _, peer := range peerNames {
		if len(losses[peer]) != len(r.Splits) || len(r.Splits) < 2 {
			return small
		}
		small.Means[peer] = score.Mean(losses[peer])
		if small.Worst == "" || small.Means[peer] > small.Means[small.Worst] {
			small.Worst = peer
		}
	}
	small.Difference = score.Pair(r.Splits, losses[small.Worst])
	small.OK = small.Difference.Mean <= errorsAllowed*small.Difference.Error || small.Difference.Mean <= 0
	return small
}
