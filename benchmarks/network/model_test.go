package network_test

import (
	"math"
	"testing"
	"time"

	"boost/benchmarks/network"
)

// near reports whether two numbers are equal to a millionth.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// Two trees of two ranks: each computes, sums 8 bytes, computes, and sums 1 MB.
func trace() *network.Trace {
	t := &network.Trace{Rows: 1000, Trees: 2}
	for r := range 2 {
		var steps []network.Step
		for range 2 {
			steps = append(steps,
				network.Step{CPU: time.Duration(1+2*r) * time.Millisecond, Call: network.Sum64, Bytes: 8},
				network.Step{CPU: 4 * time.Millisecond, Call: network.Sum64, Bytes: 1_000_000},
				network.Step{CPU: time.Millisecond, Call: network.None})
		}
		t.Steps = append(t.Steps, steps)
	}
	return t
}

func TestCost(t *testing.T) {
	link := network.Link{Gbit: 8, Delay: time.Millisecond}
	got := trace().Cost(link, network.Overhead{PerByte: 1, PerMessage: 1e6}, 1)
	// Computing: (1+3)/2 + 4 + 1 ms; the calls 8 B and 1 message, then 10⁶ B and 2 messages, at 1 ns a byte and 1 ms a message. Ways: 1 + 2.
	want := network.Cost{Compute: 0.007 + 8e-9 + 0.001 + 0.001 + 0.002, Straggle: 0.001, Latency: 0.003, Transfer: (8 + 1e6) / 1e9}
	if !near(got.Compute, want.Compute) || !near(got.Straggle, want.Straggle) || !near(got.Latency, want.Latency) || !near(got.Transfer, want.Transfer) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// The last rank computes 6, 8 and 2 ms instead: means 3.5, 6 and 1.5.
	if slow := trace().Cost(link, network.Overhead{}, 2); !near(slow.Compute, 0.011) || !near(slow.Straggle, 0.0025+0.002+0.0005) {
		t.Errorf("with a slow rank %+v", slow)
	}
	if bytes, messages := trace().Sent(); bytes != 1_000_008 || messages != 3 {
		t.Errorf("a tree sends %v bytes in %v messages", bytes, messages)
	}
}

// Times that are made of known factors give these again.
func TestFit(t *testing.T) {
	want := network.Model{Compute: 1, Straggle: 1, Latency: 1.3, Transfer: 1.1}
	var measured []network.Measured
	for i := range 16 {
		c := network.Cost{Compute: float64(1 + i%3), Straggle: float64(i % 2), Latency: float64(i % 5), Transfer: float64(i*i%7) / 3}
		measured = append(measured, network.Measured{Cost: c, Seconds: want.Seconds(c)})
	}
	got := network.Fit(measured)
	if math.Abs(got.Latency-1.3) > 0.02 || math.Abs(got.Transfer-1.1) > 0.02 || math.Abs(got.Compute-1) > 0.02 || math.Abs(got.Straggle-1) > 0.03 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if e := got.Error(network.Measured{Cost: network.Cost{Compute: 2}, Seconds: 1}); math.Abs(e-1) > 0.04 {
		t.Errorf("twice as long is an error of %v", e)
	}
}

func TestGrowth(t *testing.T) {
	var traces []*network.Trace
	for _, ranks := range []int{1, 2, 5} { // 2 ms and 3 µs a row
		one := &network.Trace{Rows: 10_000, Trees: 1}
		for range ranks {
			one.Steps = append(one.Steps, []network.Step{{CPU: 2*time.Millisecond + time.Duration(10_000/ranks)*3*time.Microsecond, Call: network.None}})
		}
		traces = append(traces, one)
	}
	if g := network.GrowthOf(traces); !near(g.Fixed, 0.002) || !near(g.PerRow, 3e-6) {
		t.Errorf("got %+v", g)
	}
}

// 1 s on one rank, of which all is divided, and 2 ways of 1 ms from two ranks on.
func TestLarger(t *testing.T) {
	l := network.Larger{
		Rows: 1e6, Threads: 1, Growth: network.Growth{PerRow: 1e-6}, Model: network.Model{Compute: 1, Straggle: 1, Latency: 1, Transfer: 1},
		Trace: &network.Trace{Trees: 1, Steps: [][]network.Step{{{Call: network.Sum64, Bytes: 40_000}}}},
	}
	link := network.Link{Gbit: math.Inf(1), Delay: time.Millisecond}
	for n, want := range map[int]float64{1: 1, 2: 0.502, 100: 0.012} {
		if got, _ := l.Seconds(n, link); !near(got, want) {
			t.Errorf("%d ranks: %v s, want %v", n, got, want)
		}
	}
	// (1/n + 0.002) ≥ 1.5·(1/2n + 0.002) up to n = 250
	if n := l.PaysUntil(link, 1<<16); n != 256 {
		t.Errorf("doubling pays up to %d", n)
	}
}
