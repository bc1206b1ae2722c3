package network

import (
	"math/bits"
	"time"
)

// Overhead is the processor time that calls take of a rank: copies, checksums and sums by bytes that it sends, and system calls by messages.
type Overhead struct {
	PerByte    float64 `json:"ns_per_byte"`
	PerMessage float64 `json:"ns_per_message"`
}

func (o Overhead) of(bytes, messages float64) time.Duration {
	return time.Duration(o.PerByte*bytes + o.PerMessage*messages)
}

// shortBytes is the length up to which package mesh sums by doubling.
const shortBytes = 32 << 10

// shape is how a call goes over n ranks by package mesh: ways one after the other, bytes that a rank sends and messages that it sends.
// Gather is counted as if all gave the same.
func (s Step) shape(n int) (ways, bytes, messages float64) {
	if n == 1 || s.Call == None {
		return 0, 0, 0
	}
	b, others := float64(s.Bytes), float64(n-1)
	steps := bits.Len(uint(n)) - 1
	switch s.Call {
	case Gather:
		return 1, b * others, others
	case Broadcast:
		depth := float64(bits.Len(uint(n - 1)))
		return depth, b * depth, depth
	case SumParts64:
		return 1, b * others / float64(n), others
	}
	if s.Bytes > shortBytes {
		return 2, 2 * b * others / float64(n), 2 * others
	}
	if n&(n-1) != 0 { // to a rank below, which then gives its own on at once, and back while the others go on
		steps++
	}
	return float64(steps), b * float64(steps), float64(steps)
}

// sends returns the bytes and the messages that a rank sends in the step's call, over so many ranks.
func (s Step) sends(ranks int) (bytes, messages float64) {
	_, bytes, messages = s.shape(ranks)
	return bytes, messages
}

// Cost is what a tree takes, by kind, in seconds.
type Cost struct {
	Compute  float64 `json:"compute_s"`  // of a mean rank
	Straggle float64 `json:"straggle_s"` // what the last rank takes longer, before each call
	Latency  float64 `json:"latency_s"`  // ways
	Transfer float64 `json:"transfer_s"` // bytes by the rate
}

func (c Cost) terms() [terms]float64 {
	return [terms]float64{c.Compute, c.Straggle, c.Latency, c.Transfer}
}

// Cost adds up what a tree of a trace takes on a link. The last rank computes slow times as long as in the trace.
func (t *Trace) Cost(link Link, o Overhead, slow float64) Cost {
	var c Cost
	n := t.Ranks()
	for i := range t.Steps[0] {
		sum, most := 0.0, 0.0
		step := t.Steps[0][i]
		ways, bytes, messages := step.shape(n)
		bytes *= t.packed()
		for r, steps := range t.Steps {
			cpu := (steps[i].CPU + o.of(bytes, messages)).Seconds()
			if r == n-1 {
				cpu *= slow
			}
			sum += cpu
			most = max(most, cpu)
		}
		mean := sum / float64(n)
		c.Compute += mean
		c.Straggle += most - mean
		c.Latency += ways * link.Delay.Seconds()
		c.Transfer += bytes * 8 / (link.Gbit * 1e9)
	}
	return c.times(1 / float64(t.Trees))
}

func (c Cost) times(f float64) Cost {
	return Cost{c.Compute * f, c.Straggle * f, c.Latency * f, c.Transfer * f}
}

// Sent returns the bytes and the messages that a rank sends by tree.
func (t *Trace) Sent() (bytes, messages float64) {
	for _, s := range t.Steps[0] {
		b, m := s.sends(t.Ranks())
		bytes, messages = bytes+b, messages+m
	}
	return bytes * t.packed() / float64(t.Trees), messages / float64(t.Trees)
}

func (t *Trace) packed() float64 {
	if t.Packed == 0 {
		return 1
	}
	return t.Packed
}

// Link is what joins a rank with the switch that all ranks are at.
type Link struct {
	Gbit  float64       `json:"gbit_per_s"`
	Delay time.Duration `json:"delay_ns"` // from one rank to another
}

// Stretched returns a link that is so many times as slow.
func (l Link) Stretched(by float64) Link {
	return Link{l.Gbit / by, time.Duration(float64(l.Delay) * by)}
}
