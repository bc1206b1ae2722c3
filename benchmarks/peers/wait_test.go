package peers_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"boost/benchmarks/peers"
)

// Each peer with OpenMP runs in both ways of waiting, and the better one takes turns.
func TestBetterWaitTakesTurns(t *testing.T) {
	s := &peers.Session{Row: row(nil)}
	err := measure(t, s, io.Discard, contender(peers.BoostName, "boost=2"),
		contender("lightgbm-row-passive", "l=8"), contender("lightgbm-row-active", "l=5"),
		contender("xgboost-hist-passive", "x=6"), contender("xgboost-hist-active", "x=7"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Turns, " "); got != "boost lightgbm-row-active xgboost-hist-passive" {
		t.Errorf("turns of %q, want the better way of each peer", got)
	}
	v := s.Verdict()
	if v.ByLightGBM != 2.5 || !strings.Contains(v.String(), "as fast as lightgbm-row-active") {
		t.Errorf("LightGBM's 5 s by boost's 2 s: %s", v.String())
	}
	var out bytes.Buffer
	peers.Summary(&out, map[string]*peers.Session{"dense": s}, nil)
	if want := "| 2.000 | 5.000 (lightgbm-row-active) | 2.50 × |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestContendersWait(t *testing.T) {
	var waits []string
	for _, c := range peers.Contenders(peers.Quick(), "self", "python", "peer.py") {
		if strings.HasPrefix(c.Name, "lightgbm-quantized-row") {
			waits = append(waits, c.Name+" "+c.Command[2]+" "+c.Wait)
		}
		if (c.Wait == "") != (c.Name == peers.Base(c.Name)) {
			t.Errorf("%s waits %q", c.Name, c.Wait)
		}
		if c.Name == "catboost" && c.Wait != "" || strings.HasPrefix(c.Name, "boost") && c.Wait != "" {
			t.Errorf("%s has no OpenMP, but waits %q", c.Name, c.Wait)
		}
	}
	want := []string{"lightgbm-quantized-row-passive lightgbm-quantized-row passive", "lightgbm-quantized-row-active lightgbm-quantized-row active"}
	if !slices.Equal(waits, want) {
		t.Errorf("contenders %q, want %q", waits, want)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("OMP_WAIT_POLICY", "ACTIVE")
	for wait, want := range map[string]string{peers.Passive: "PASSIVE", peers.Active: "ACTIVE", "": ""} {
		var got []string
		threads := ""
		for _, v := range peers.Environment(3, wait) {
			if value, is := strings.CutPrefix(v, "OMP_WAIT_POLICY="); is {
				got = append(got, value)
			}
			if value, is := strings.CutPrefix(v, "OMP_NUM_THREADS="); is {
				threads = value
			}
		}
		if strings.Join(got, " ") != want || threads != "3" {
			t.Errorf("%q: policy %q and %s threads, want %q and 3", wait, got, threads, want)
		}
	}
}

// A quality found with one way of waiting is that of the other.
func TestQualityKnowsNoWait(t *testing.T) {
	q := &peers.Quality{Row: row(nil), Names: []string{peers.BoostName, "lightgbm-row"}, Tables: []*peers.QualityTable{
		{Seed: 1, Metrics: map[string]float64{peers.BoostName: 0.8, "lightgbm-row": 0.7}},
	}}
	if p, tables := q.Ahead(peers.BoostName, "lightgbm-row-active"); tables != 1 || p.Mean < 0.09 {
		t.Errorf("ahead by %v in %d tables", p.Mean, tables)
	}
}
