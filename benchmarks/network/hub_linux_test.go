package network

import (
	"context"
	"sync"
	"testing"
	"time"

	"boost/booster"
	"boost/dataset"
	"boost/internal/comm"
)

// A packet of 3,000 bytes of TCP in segments of 1,460 is three on the cable: 40 bytes of head and 38 of Ethernet each.
func TestWireBytes(t *testing.T) {
	b := make([]byte, headBytes+40+3000)
	b[1], b[4], b[5] = 1, 1460&255, 1460>>8
	b[headBytes], b[headBytes+19], b[headBytes+20+12] = 0x45, 7, 5<<4
	if wire, to, ok := wireBytes(b); wire != 3000+3*78 || to != 7 || !ok {
		t.Errorf("%d bytes to %d, %v", wire, to, ok)
	}
	b[1] = 0
	if wire, _, _ := wireBytes(b); wire != 3040+38 {
		t.Errorf("in one piece %d bytes", wire)
	}
	b[headBytes] = 0x60
	if _, _, ok := wireBytes(b); ok {
		t.Error("IPv6 is taken for IPv4")
	}
}

// Packets of 10 µs: two of one rank follow each other; one of another rank to the same receiver waits for the first, because the
// receiver's cable takes one at a time.
func TestCarry(t *testing.T) {
	h := hub{delay: time.Millisecond, ports: []*port{{queue: make(chan packet, 8)}, {queue: make(chan packet, 8)}, {queue: make(chan packet, 8)}}}
	to := h.ports[2]
	h.carry(h.ports[0], to, packet{n: 1}, 10_000, 0)
	h.carry(h.ports[1], to, packet{n: 2}, 10_000, 0)
	h.carry(h.ports[0], to, packet{n: 3}, 10_000, 5_000)
	h.carry(h.ports[0], h.ports[1], packet{n: 4}, 10_000, 100_000)
	for i, want := range []time.Duration{10, 20, 30} {
		if p := <-to.queue; p.due != time.Millisecond+want*time.Microsecond || p.n != i+1 {
			t.Errorf("packet %d arrives after %s", i, p.due)
		}
	}
	if p := <-h.ports[1].queue; p.due != 1110*time.Microsecond {
		t.Errorf("on free cables a packet arrives after %s", p.due)
	}
}

// What is recorded of a training is what it calls, by the count of the ends themselves, and a replay makes these calls.
func TestRecordAndReplay(t *testing.T) {
	values, labels := make([]float32, 3000), make([]float32, 3000)
	for i := range values {
		values[i], labels[i] = float32(i*i%97), float32(i*i%97/50)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: values}, {Name: "y", Values: labels}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping = "binary", 4, 0
	trace, err := Record(t.Context(), table, p, 3)
	if err != nil {
		t.Fatal(err)
	}
	if s := trace.Summary(); trace.Trees != 3 || s.Ranks != 3 || s.Calls < 3 || s.Compute <= 0 || s.Bytes <= 0 {
		t.Fatalf("recorded %+v of %d trees", s, trace.Trees)
	}
	calls, first, nones := 0, 0, 0
	for _, s := range trace.Steps[0] {
		switch {
		case s.Call == None:
			nones++
		case nones == 0:
			first++
			fallthrough
		default:
			calls++
		}
	}
	if nones != trace.Trees {
		t.Errorf("%d trees end, of %d", nones, trace.Trees)
	}
	var all sync.WaitGroup
	for r, c := range comm.Local(3) {
		all.Go(func() {
			paused := 0
			if _, _, _, err := Replay(context.Background(), c, trace.Steps[r], func(Step) { paused++ }); err != nil {
				t.Error(err)
			}
			if got := c.Stats().Calls; got != first+calls+2 || paused != len(trace.Steps[r]) { // and two barriers
				t.Errorf("rank %d: %d calls, %d pauses; want %d and %d", r, got, paused, first+calls+2, len(trace.Steps[r]))
			}
		})
	}
	all.Wait()
}
