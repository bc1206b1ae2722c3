package accuracy

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"boost/benchmarks/harness"
	"boost/benchmarks/score"
)

// Record is what `benchmarks accuracy` keeps in benchmarks/results/accuracy.json.
type Record struct {
	Machine harness.Machine   `json:"machine"`
	Threads int               `json:"threads"`
	Sets    map[string]Result `json:"sets"`
}

const introduction = `# Accuracy

Written by ` + "`make accuracy`, `make accuracy-precision` and `make accuracy-peers`" + `; do not edit.

All trainers use the settings of ` + "`reference.json`" + `: 200 rounds (kddcup99_10pct: 30), learning rate 0.1, 31 leaves,
255 bins, 20 rows in a leaf, and the categorical columns and weights of each set's ` + "`meta.json`" + `. Empty fields are missing.
Losses are rmse or logloss (clipped at 1e-15), weighted if the set has weights. Lower is better.
`

// WriteDocument writes docs/accuracy.md.
func WriteDocument(w io.Writer, v Verdict, r Record, peers PeerSplits, precision *Precision) {
	fmt.Fprint(w, introduction+"\n")
	fmt.Fprintf(w, "Machine: %s, %d threads.\n", r.Machine, r.Threads)
	others := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Sets)) {
		if c := r.Sets[name].Commit; c != r.Machine.Commit {
			others[c] = append(others[c], name)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(others)) {
		fmt.Fprintf(w, "Trained at commit %s: %s.\n", c, strings.Join(others[c], ", "))
	}
	writeLarge(w, v)
	writeSmall(w, v, peers)
	precision.Write(w)
}

func writeLarge(w io.Writer, v Verdict) {
	fmt.Fprintf(w, `
## Sets with at least %d test rows

Loss on `+"`test.csv.gz`"+`, which is used for nothing else; the peers' losses are from `+"`reference.json`"+`. A peer's loss counts
if it is between %.0f %% and %.0f %% of that of a constant prediction; others are in brackets. Bound: at most %.0f %% above the
worst peer that counts.

| set | metric | boost | lightgbm | xgboost | sklearn | to lightgbm | to xgboost | to sklearn | worst | holds |
|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|
`, largeTest, 100*lowShare, 100*highShare, 100*(worstBound-1))
	for _, l := range v.Large {
		fmt.Fprintf(w, "| %s | %s | %s |", l.Set, l.Reference.Metric, figure(l.Loss))
		for _, peer := range peerNames {
			if _, counts := l.Ratios[peer]; counts {
				fmt.Fprintf(w, " %s |", figure(l.Reference.Peers[peer]))
			} else {
				fmt.Fprintf(w, " (%s) |", figure(l.Reference.Peers[peer]))
			}
		}
		for _, peer := range peerNames {
			if ratio, counts := l.Ratios[peer]; counts {
				fmt.Fprintf(w, " %.4f |", ratio)
			} else {
				fmt.Fprint(w, " – |")
			}
		}
		if l.Worst == "" {
			fmt.Fprintln(w, " – | – |")
			continue
		}
		fmt.Fprintf(w, " %s | %s |\n", l.Worst, holds(l.OK))
	}
	fmt.Fprintf(w, "\nGeometric mean of the ratios, each limited to [%g, %g]:\n\n", ratioMin, ratioMax)
	for _, peer := range peerNames {
		if v.Count[peer] == 0 {
			continue
		}
		fmt.Fprintf(w, "- to %s over %d sets: **%.4f**", peer, v.Count[peer], v.Means[peer])
		if peer == yardstick {
			fmt.Fprintf(w, ", bound %.3f: %s", meanBound, holds(v.Means[peer] <= meanBound))
		}
		fmt.Fprintln(w)
	}
}

func writeSmall(w io.Writer, v Verdict, peers PeerSplits) {
	if len(v.Small) == 0 {
		return
	}
	var versions []string
	for _, peer := range slices.Sorted(maps.Keys(peers.Versions)) {
		versions = append(versions, peer+" "+peers.Versions[peer])
	}
	fmt.Fprintf(w, `
## Smaller sets

Mean loss over re-splits of the training part, 80 %% to train on (`+"`benchmarks/accuracy/split.go`"+` selects the rows).
The peers' losses (%s) are in `+"`benchmarks/accuracy_small.json`"+`. Bound: at most
%d standard errors of the paired difference above the worst peer. The last column is the loss on `+"`test.csv.gz`"+`.

| set | metric | splits | boost | lightgbm | xgboost | sklearn | worst | boost − worst | standard error | holds | boost on test |
|---|---|--:|--:|--:|--:|--:|---|--:|--:|---|--:|
`, strings.Join(versions, ", "), errorsAllowed)
	for _, s := range v.Small {
		fmt.Fprintf(w, "| %s | %s | %d | %s |", s.Set, s.Reference.Metric, len(s.Splits), figure(s.Ours))
		for _, peer := range peerNames {
			if mean, have := s.Means[peer]; have {
				fmt.Fprintf(w, " %s |", figure(mean))
			} else {
				fmt.Fprint(w, " – |")
			}
		}
		fmt.Fprintf(w, " %s | %s | %s | %s | %s |\n", s.Worst, figure(s.Difference.Mean), figure(s.Difference.Error), holds(s.OK), figure(s.Loss))
	}
}

// Summary gives the geometric means, one line each.
func (v Verdict) Summary() []string {
	var list []string
	for _, peer := range peerNames {
		if v.Count[peer] > 0 {
			list = append(list, fmt.Sprintf("geometric mean to %s over %d sets: %.4f", peer, v.Count[peer], v.Means[peer]))
		}
	}
	return list
}

// Problems lists what is out of bounds, one line each.
func (v Verdict) Problems() []string {
	var list []string
	if mean, have := v.Means[yardstick]; have && !(mean <= meanBound) {
		list = append(list, fmt.Sprintf("geometric mean to %s over %d sets is %.4f, bound %.3f", yardstick, v.Count[yardstick], mean, meanBound))
	}
	for _, l := range v.Large {
		if !l.OK {
			list = append(list, fmt.Sprintf("%s: %s %s is %.4f of the worst peer's (%s %s), bound %.2f",
				l.Set, l.Reference.Metric, figure(l.Loss), l.ToWorst, l.Worst, figure(l.Reference.Peers[l.Worst]), worstBound))
		}
	}
	for _, s := range v.Small {
		switch {
		case s.OK:
		case s.Worst == "" || len(s.Means) < len(s.Reference.peers()):
			list = append(list, s.Set+": the peers' re-splits are missing or not as many as ours (make accuracy-peers)")
		default:
			list = append(list, fmt.Sprintf("%s: mean %s %s over %d splits, worst peer (%s) %s, difference %s with standard error %s",
				s.Set, s.Reference.Metric, figure(s.Ours), len(s.Splits), s.Worst, figure(s.Means[s.Worst]),
				figure(s.Difference.Mean), figure(s.Difference.Error)))
		}
	}
	return list
}

// relative formats a share as a signed percentage.
func relative(p score.Paired) string {
	return fmt.Sprintf("%+.3f %% ± %.3f", 100*p.Mean, 100*p.Error)
}

// figure formats a loss with five significant digits or more.
func figure(x float64) string {
	if a := math.Abs(x); a >= 1e5 {
		return fmt.Sprintf("%.0f", x)
	} else if a >= 1 {
		return fmt.Sprintf("%.*f", 5-int(math.Floor(math.Log10(a))), x)
	}
	return fmt.Sprintf("%.6f", x)
}

func holds(ok bool) string {
	if ok {
		return "yes"
	}
	return "**no**"
}
