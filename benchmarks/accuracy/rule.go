package accuracy

import (
	"maps"
	"slices"

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

// Reference is what a set's losses are judged by. It stands in the record too, so that the document
// follows from records alone.
type Reference struct {
	Metric   string             `json:"metric"`
	TestRows int                `json:"test_rows"`
	Constant float64            `json:"constant"` // loss of the best constant
	Peers    map[string]float64 `json:"peers"`    // test loss by peer
}

// Large reports whether the set is judged by its test loss, not by re-splits.
func (r *Reference) Large() bool { return r.TestRows >= largeTest }

// peers lists those whose losses are known, all where none is.
func (r *Reference) peers() []string {
	if len(r.Peers) == 0 {
		return peerNames
	}
	return slices.DeleteFunc(slices.Clone(peerNames), func(peer string) bool { _, has := r.Peers[peer]; return !has })
}

// Result is what we reach on one set.
type Result struct {
	Set       string    `json:"set"`
	Reference Reference `json:"reference"`
	Loss      float64   `json:"loss"`             // on test.csv.gz
	Splits    []float64 `json:"splits,omitempty"` // small sets: losses on the held-out rows of re-splits 0, 1, …
	Seconds   float64   `json:"seconds"`          // of all training of this set
	Commit    string    `json:"commit"`           // of the program that trained it
}

// PeerSplits are the peers' losses on the re-splits of small sets, made by
// benchmarks/python/accuracy_small.py.
type PeerSplits struct {
	Sets     map[string]SplitLosses `json:"sets"`
	Versions map[string]string      `json:"versions"`
	Rounds   int                    `json:"rounds"`
}

// SplitLosses are the peers' losses on the re-splits of one set.
type SplitLosses struct {
	Rows    int                  `json:"rows"`
	HeldOut int                  `json:"held_out"`
	Losses  map[string][]float64 `json:"losses"`
}

// Large is the verdict on one set with enough test rows.
type Large struct {
	Result
	Ratios  map[string]float64 // ours to the peer's, where the peer's loss counts
	Worst   string             // the worst peer whose loss counts; "" = none counts
	ToWorst float64
	OK      bool
}

// Small is the verdict on one set with few test rows, over re-splits.
type Small struct {
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
}

// Judge applies the rule to results of sets. A small set without the peers' or our
// re-splits fails.
func Judge(results map[string]Result, peers PeerSplits) Verdict {
	v := Verdict{Means: map[string]float64{}, Count: map[string]int{}}
	ratios := map[string][]float64{}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		r := results[name]
		if !r.Reference.Large() {
			v.Small = append(v.Small, judgeSmall(r, peers.Sets[name].Losses))
			continue
		}
		large := judgeLarge(r)
		v.Large = append(v.Large, large)
		for peer, ratio := range large.Ratios {
			ratios[peer] = append(ratios[peer], min(max(ratio, ratioMin), ratioMax))
		}
	}
	for peer, list := range ratios {
		v.Means[peer], v.Count[peer] = score.GeometricMean(list), len(list)
	}
	return v
}

func judgeLarge(r Result) Large {
	l := Large{Result: r, Ratios: map[string]float64{}, OK: true}
	for _, peer := range peerNames {
		loss := r.Reference.Peers[peer]
		if loss < lowShare*r.Reference.Constant || loss > highShare*r.Reference.Constant {
			continue
		}
		l.Ratios[peer] = r.Loss / loss
		if l.Worst == "" || loss > r.Reference.Peers[l.Worst] {
			l.Worst, l.ToWorst = peer, r.Loss/loss
		}
	}
	// A loss that is no number is not above any bound, hence the form of the test.
	l.OK = l.Worst == "" || l.ToWorst <= worstBound
	return l
}

func judgeSmall(r Result, losses map[string][]float64) Small {
	small := Small{Result: r, Ours: score.Mean(r.Splits), Means: map[string]float64{}}
	for _, peer := range r.Reference.peers() {
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
