package peers

import (
	"fmt"
	"slices"
	"strings"
)

// Our metric may lie this much behind a peer's: AUC as a difference, loss as a share.
const (
	aucSlack  = 0.0005
	lossSlack = 0.002
)

// figure is what a contender's runs come to: the smallest seconds of each stage, the
// largest peak.
type figure struct {
	name    string
	turns   int // 0 = the first part only
	rounds  int
	run     Run
	seconds float64 // of what the row is about
	cpu     float64
	spread  float64 // (largest - smallest) / smallest of seconds
}

// figure returns a contender's, of the turns where it had any.
func (s *Session) figure(name string) (figure, bool) {
	f := figure{name: name}
	slowest := 0.0
	for _, m := range s.Runs {
		if m.Contender != name || m.Turn == 0 && s.ran(name, 1) {
			continue
		}
		run, seconds := m.Run, s.Row.Seconds(&m.Run)
		if m.Turn > 0 {
			f.turns++
		}
		slowest = max(slowest, seconds)
		if f.seconds == 0 {
			f.run, f.rounds, f.seconds, f.cpu = run, m.Rounds, seconds, s.Row.cpu(&run)
			continue
		}
		f.seconds, f.cpu = min(f.seconds, seconds), min(f.cpu, s.Row.cpu(&run))
		f.run.Load, f.run.Bin = min(f.run.Load, run.Load), min(f.run.Bin, run.Bin)
		f.run.Train, f.run.Predict = min(f.run.Train, run.Train), min(f.run.Predict, run.Predict)
		if run.PeakBytes > f.run.PeakBytes {
			f.run.PeakBytes, f.run.BaseBytes = run.PeakBytes, run.BaseBytes
		}
	}
	if f.seconds == 0 {
		return f, false
	}
	f.spread = slowest/f.seconds - 1
	return f, true
}

// Verdict compares boost with the peers that took turns with it.
type Verdict struct {
	ours, lightGBM, fastest figure
	ByLightGBM, ByFastest   float64  // the peer's seconds by boost's
	Scaling                 float64  // seconds of one thread by those of all; 0 = not measured
	Short                   []string // what is missed, in words
	Enough                  bool     // nothing but the target is missed, and by little
}

// Passes says that nothing is missed.
func (v *Verdict) Passes() bool { return len(v.Short) == 0 }

// Word is one for a table.
func (v *Verdict) Word() string {
	switch {
	case v.Passes():
		return "pass"
	case v.Enough:
		return "done, short of the target"
	}
	return "short"
}

// Contenders returns the names of boost's ways and of the peers that the verdict is about.
func (v *Verdict) Contenders() []string {
	names := []string{BoostName, EightBits}
	for _, peer := range v.compared() {
		if peer.name != "" {
			names = append(names, peer.name)
		}
	}
	return names
}

// Verdict judges a session that is done.
func (s *Session) Verdict() Verdict {
	var v Verdict
	var ways []figure
	found := false
	for _, name := range s.Turns {
		f, ok := s.figure(name)
		switch {
		case !ok || f.turns == 0 || name == OneThread:
			continue
		case isOurs(name):
			ways = append(ways, f)
			continue
		}
		if v.fastest.seconds == 0 || f.seconds < v.fastest.seconds {
			v.fastest = f
		}
		if isLightGBM(&s.Row, name) && (!found || f.seconds < v.lightGBM.seconds) {
			v.lightGBM, found = f, true
		}
	}
	if len(ways) == 0 || !s.Done {
		v.Short = []string{"boost did not run"}
		return v
	}
	v.ours = s.best(ways, &v.lightGBM, &v.fastest)
	fall := func(format string, args ...any) { v.Short = append(v.Short, fmt.Sprintf(format, args...)) }
	if !found {
		fall("no LightGBM to compare with")
		return v
	}
	v.ByLightGBM, v.ByFastest = v.lightGBM.seconds/v.ours.seconds, v.fastest.seconds/v.ours.seconds
	behind := v.ByLightGBM < s.Row.Target
	if behind {
		fall("%.2f × of the target %.1f × %s", v.ByLightGBM, s.Row.Target, v.lightGBM.name)
	}
	if v.ByFastest < s.Row.Fastest {
		fall("%.2f × of %.1f × %s", v.ByFastest, s.Row.Fastest, v.fastest.name)
	}
	for _, peer := range v.compared() {
		if s.Row.Scored() && s.Row.worse(&v.ours.run, &peer.run) {
			fall("%s behind that of %s", s.Row.metric(), peer.name)
		}
	}
	if s.Row.Memory && v.ours.run.PeakBytes > v.lightGBM.run.PeakBytes {
		fall("memory over that of %s", v.lightGBM.name)
	}
	if one, ok := s.figure(OneThread); ok {
		if v.Scaling = one.seconds / ways[0].seconds; v.Scaling < s.Row.Scaling {
			fall("%d threads %.2f × of %.1f × one", s.Row.Threads, v.Scaling, s.Row.Scaling)
		}
	}
	v.Enough = behind && len(v.Short) == 1 && s.Row.Enough > 0 && v.ByLightGBM >= s.Row.Enough
	return v
}

// compared returns the peers that a verdict is about: LightGBM's best, and the fastest.
func (v *Verdict) compared() []figure {
	return slices.CompactFunc([]figure{v.lightGBM, v.fastest}, func(a, b figure) bool { return a.name == b.name })
}

// best returns the fastest of boost's ways whose quality lies behind no peer's, as LightGBM's best is
// compared with; the first if there is none.
func (s *Session) best(ways []figure, peers ...*figure) figure {
	best, good := ways[0], false
	for _, w := range ways {
		behind := slices.ContainsFunc(peers, func(p *figure) bool {
			return p.seconds > 0 && s.Row.Scored() && s.Row.worse(&w.run, &p.run)
		})
		if !behind && (!good || w.seconds < best.seconds) {
			best, good = w, true
		}
	}
	return best
}

// worse says that our quality lies behind a peer's by more than the slack.
func (r *Row) worse(ours, theirs *Run) bool {
	if r.byLoss() {
		return !(ours.LogLoss <= theirs.LogLoss*(1+lossSlack))
	}
	return !(ours.AUC >= theirs.AUC-aucSlack)
}

// metricOf is a run's quality.
func (r *Row) metricOf(run *Run) float64 {
	if r.byLoss() {
		return run.LogLoss
	}
	return run.AUC
}

// metric names what the quality of the row is.
func (r *Row) metric() string {
	if r.byLoss() {
		return "logloss"
	}
	return "AUC"
}

// String is one sentence.
func (v *Verdict) String() string {
	if v.ByLightGBM == 0 {
		return "No comparison: " + strings.Join(v.Short, "; ") + "."
	}
	s := fmt.Sprintf("%s is %.2f × as fast as %s and %.2f × as fast as %s, the fastest; peak memory × %.2f of %s",
		v.ours.name, v.ByLightGBM, v.lightGBM.name, v.ByFastest, v.fastest.name,
		float64(v.ours.run.PeakBytes)/float64(v.lightGBM.run.PeakBytes), v.lightGBM.name)
	if v.Scaling > 0 {
		s += fmt.Sprintf("; all threads are %.2f × one", v.Scaling)
	}
	s += ": " + v.Word()
	if len(v.Short) > 0 {
		s += " (" + strings.Join(v.Short, "; ") + ")"
	}
	return s + "."
}
