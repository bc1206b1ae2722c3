package network

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

// Packets of 10 ms over cables that are free at first. Rank 0 sends one to rank 1 and then one to rank 2: they arrive after 10 and 20 ms, and
// the delay of 5. Rank 1 sends one to rank 2 at once, which is there after 10 ms, before that of rank 0, though that was given to its
// cable first; its second, to the same rank, arrives at the switch together with that of rank 0, and the last of both waits for the other.
func TestHubCarries(t *testing.T) { synctest.Test(t, carries) }

// carries runs on a clock that goes on only when all sleep, so that no packet is late because the machine is busy.
func carries(t *testing.T) {
	const takes, delay = 10 * time.Millisecond, 5 * time.Millisecond
	h := hub{delay: delay, ports: []*port{{}, {}, {}}, began: time.Now(), sleep: time.Sleep}
	for _, p := range h.ports {
		p.out, p.in = make(chan packet, queued), make(chan packet, queued)
	}
	send := func(n, from, to int) {
		h.ports[from].send(packet{n: n, to: h.ports[to], takes: float64(takes)}, 0)
	}
	send(1, 0, 1)
	send(2, 0, 2)
	send(3, 1, 2)
	send(4, 1, 2)
	for _, p := range h.ports {
		close(p.out)
		h.passing.Go(func() { h.pass(p) })
	}
	h.passing.Wait()
	check := func(to int, order string, due ...time.Duration) {
		t.Helper()
		for _, want := range due {
			p := <-h.ports[to].in
			if !strings.Contains(order, strconv.Itoa(p.n)) || p.due != want {
				t.Errorf("packet %d arrives at rank %d after %s, want %s", p.n, to, p.due, want)
			}
			order = strings.Replace(order, strconv.Itoa(p.n), "", 1)
		}
	}
	check(1, "1", takes+delay)
	check(2, "3", takes+delay)
	check(2, "24", 2*takes+delay, 3*takes+delay)
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
