package peers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/parallel"
)

// tableOf writes the table of a seed and returns its folder and what being wrong about the first
// test row costs of an AUC of 1: half of its share of the rows of its label, all pairs of which
// with rows of the other label are ties.
func tableOf(t *testing.T, seed uint64) (folder string, cost float64) {
	t.Helper()
	g, err := synth.New(synth.Dense, seed, 3)
	if err != nil {
		t.Fatal(err)
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	folder = t.TempDir()
	if err := g.Write(folder, 10, 40, false, pool); err != nil {
		t.Fatal(err)
	}
	labels, err := os.ReadFile(filepath.Join(folder, synth.TestY))
	if err != nil {
		t.Fatal(err)
	}
	var counts [2]int
	first := -1
	for at := len(labels) - 4*40; at < len(labels); at += 4 {
		label := int(math.Float32frombits(binary.LittleEndian.Uint32(labels[at:])))
		if first < 0 {
			first = label
		}
		counts[label]++
	}
	return folder, 0.5 / float64(counts[first])
}

func TestQuality(t *testing.T) {
	folder := t.TempDir()
	fresh := func(build string) *peers.Quality {
		return &peers.Quality{Build: build, Row: row(nil), Names: []string{peers.BoostName, "lightgbm-row"}}
	}
	contenders := []peers.Contender{contender(peers.BoostName, "poor=2"), contender("lightgbm-row", "lightgbm=6")}
	q, err := peers.BeginQuality(folder, fresh("a"))
	if err != nil {
		t.Fatal(err)
	}
	var costs [2]float64
	for seed := range uint64(2) {
		data, cost := tableOf(t, seed+1)
		costs[seed] = cost
		if q.Complete(seed + 1) {
			t.Error("a table that was not measured is complete")
		}
		if err := q.Measure(t.Context(), contenders, seed+1, data, time.Minute, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	got, tables := q.Ahead(peers.BoostName, "lightgbm-row")
	if want := -(costs[0] + costs[1]) / 2; tables != 2 || math.Abs(got.Mean-want) > 1e-15 {
		t.Errorf("ahead by %v in the mean of %d tables, want %v of 2", got.Mean, tables, want)
	}
	if want := math.Abs(costs[0]-costs[1]) / 2; math.Abs(got.Error-want) > 1e-15 { // s/√2 with s = |difference|/√2
		t.Errorf("standard error %v, want %v", got.Error, want)
	}
	if _, tables := q.Ahead(peers.BoostName, "catboost"); tables != 0 {
		t.Error("a peer that did not run is compared with")
	}

	// The record is taken up again by the same program only, which in a clean tree it has made another.
	same := fresh("a")
	same.Machine.Commit = "abc+"
	if q, err = peers.BeginQuality(folder, same); err != nil || !q.Complete(2) {
		t.Errorf("the record was not taken up: error %v", err)
	}
	err = q.Measure(t.Context(), []peers.Contender{contender(peers.BoostName, "broken"), contender("lightgbm-row", "broken")}, 2, table(t), time.Minute, io.Discard)
	if err != nil {
		t.Errorf("what is known was measured again: %v", err)
	}
	if q, err = peers.BeginQuality(folder, fresh("b")); err != nil || q.Complete(1) {
		t.Errorf("another program goes on with the record: error %v", err)
	}
	err = q.Measure(t.Context(), []peers.Contender{contender("lightgbm-row", "absent")}, 1, table(t), time.Minute, io.Discard)
	if !errors.Is(err, peers.ErrAbsent) {
		t.Errorf("error %v of a peer that is not installed", err)
	}
}

// A loss is compared as a share of the peer's: (0.70-0.68)/0.68 = +2.94 % and
// (0.72-0.73)/0.73 = -1.37 % are 0.79 % in the mean, with an error of (2.94+1.37)/2.
func TestQualityOfLosses(t *testing.T) {
	r, err := peers.RowNamed("fits")
	if err != nil {
		t.Fatal(err)
	}
	q := &peers.Quality{Machine: machine.Info{Commit: "abc"}, Row: r, Names: []string{peers.BoostName, "catboost"}, Tables: []*peers.QualityTable{
		{Seed: 1, Metrics: map[string]float64{peers.BoostName: 0.70, "catboost": 0.68}},
		{Seed: 2, Metrics: map[string]float64{peers.BoostName: 0.72, "catboost": 0.73}},
		{Seed: 3, Metrics: map[string]float64{peers.BoostName: 0.1}}, // interrupted
	}}
	var out bytes.Buffer
	peers.QualityReport(&out, []*peers.Quality{q})
	if want := "| `fits` | 2 | logloss | 0.71000 | – | catboost | 0.70500 | -0.79 % ± 2.16 % (behind) | – | abc |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// The summary says what the mean over tables is where one table finds us behind.
func TestSummaryTellsTheMean(t *testing.T) {
	s := &peers.Session{Row: row(nil)}
	if err := measure(t, s, io.Discard, contender(peers.BoostName, "poor=2"), contender("lightgbm-row", "lightgbm=6")); err != nil {
		t.Fatal(err)
	}
	q := &peers.Quality{Row: s.Row, Names: []string{peers.BoostName, "lightgbm-row"}, Tables: []*peers.QualityTable{
		{Seed: 1, Metrics: map[string]float64{peers.BoostName: 0.8, "lightgbm-row": 0.802}},
		{Seed: 2, Metrics: map[string]float64{peers.BoostName: 0.8, "lightgbm-row": 0.7976}},
	}}
	for _, c := range []struct {
		quality *peers.Quality
		want    string
	}{
		{q, "AUC behind that of lightgbm-row; in the mean of 2 tables +0.00020 ± 0.00220 against lightgbm-row |"},
		{nil, "AUC behind that of lightgbm-row |"},
		{&peers.Quality{Row: peers.Quick(), Names: q.Names, Tables: q.Tables}, "AUC behind that of lightgbm-row |"}, // of another shape
	} {
		var out bytes.Buffer
		peers.Summary(&out, map[string]*peers.Session{"dense": s}, map[string]*peers.Quality{"dense": c.quality})
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("no %q in\n%s", c.want, out.String())
		}
	}
}
