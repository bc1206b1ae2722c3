// Package commtest checks what joins the ranks of a training against plain sums.
package commtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"boost/internal/comm"
	"boost/internal/rng"
)

// lengths of vectors: none, odd ones, and those around powers of two.
var lengths = []int{0, 1, 2, 3, 7, 63, 1023, 1024, 1025, 4095, 4096, 4097, 8192, 8193}

// call is a kind of call.
type call struct {
	name string
	make func(n int) error // with vectors of n values
	long int               // a length that takes several messages
}

// Check makes every kind of call on one rank, for vectors of many lengths and then in random order, and returns the first
// result that is wrong. All ranks call it with the same seed; it does not matter whether they are in one process.
func Check(ctx context.Context, c comm.Comm, seed uint64) error {
	k := &checker{Comm: c, ctx: ctx, seed: seed}
	calls := []call{
		{"Sum64", k.sum64, 100_003}, {"Sum32", k.sum32, 100_001}, {"SumParts64", k.sumParts, 50_001}, {"SumParts64 in chunks", k.sumChunks, 200_003}, {"Max", k.max, 20_001},
		{"Gather", k.gather, 30_001}, {"Broadcast", k.broadcast, 30_001}, {"Barrier", k.barrier, 0},
	}
	for _, call := range calls {
		for _, n := range append(lengths, call.long) {
			if err := k.check(call, n); err != nil {
				return err
			}
		}
	}
	for range 200 {
		n := k.shared(3, 1<<k.shared(1, 14))
		if err := k.check(calls[k.shared(2, len(calls))], n); err != nil {
			return err
		}
	}
	if s := c.Stats(); c.Size() > 1 && (s.Calls < k.calls || s.Sent == 0 || s.Received == 0 || s.Waited == 0) {
		return fmt.Errorf("rank %d: after %d calls Stats is %+v", c.Rank(), k.calls, s)
	}
	return nil
}

type checker struct {
	comm.Comm
	ctx   context.Context
	seed  uint64
	calls int
}

// draw returns 64 random bits of this call, the same at all ranks.
func (k *checker) draw(stream, i int) uint64 {
	return rng.Mix(rng.Mix(rng.Mix(k.seed+uint64(k.calls))+uint64(stream)) + uint64(i))
}

// shared returns a random number from 0 to n-1, the same at all ranks.
func (k *checker) shared(stream, n int) int { return int(k.draw(-stream, 0) % uint64(n)) }

// check makes a call with vectors of n values. Now and then this rank comes late.
func (k *checker) check(call call, n int) error {
	k.calls++
	if late := k.draw(k.Rank(), -1); late%64 == 0 {
		time.Sleep(time.Duration(late>>32%1000) * time.Microsecond)
	}
	if err := call.make(n); err != nil {
		return fmt.Errorf("rank %d of %d, call %d, %s with %d values: %w", k.Rank(), k.Size(), k.calls, call.name, n, err)
	}
	return nil
}

// values returns what a rank gives to the call.
func (k *checker) values(rank, n int) []uint64 {
	values, key := make([]uint64, n), k.draw(rank, 0)
	for i := range values {
		values[i] = rng.Draw(key, uint64(i))
	}
	return values
}

// sums returns the sums over the ranks.
func (k *checker) sums(n int) []uint64 {
	sums := make([]uint64, n)
	for r := range k.Size() {
		for i, v := range k.values(r, n) {
			sums[i] += v
		}
	}
	return sums
}

func (k *checker) sum64(n int) error {
	got := k.values(k.Rank(), n)
	if err := k.Sum64(k.ctx, got); err != nil {
		return err
	}
	return same(got, k.sums(n))
}

func (k *checker) sum32(n int) error {
	got := convert(k.values(k.Rank(), n), func(v uint64) uint32 { return uint32(v) })
	if err := k.Sum32(k.ctx, got); err != nil {
		return err
	}
	return same(got, convert(k.sums(n), func(v uint64) uint32 { return uint32(v) }))
}

// sumParts sums in parts of random lengths, of which some are 0, with gaps between them, and up to four values behind them at all ranks.
func (k *checker) sumParts(n int) error {
	borders := make([]int, k.Size()+1)
	for i := range borders {
		borders[i] = int(k.draw(-4, i) % uint64(n+1))
	}
	if n%2 == 1 && k.Size() > 2 {
		borders[1] = borders[2]
	}
	behind := n - min(n, int(k.draw(-5, n)%5))
	for i := range borders {
		borders[i] = min(borders[i], behind)
	}
	borders[0], borders[k.Size()] = 0, behind
	slices.Sort(borders)
	parts := make([]comm.Part, k.Size())
	for r := range parts {
		parts[r] = comm.Part{From: borders[r], To: borders[r+1]}
		if gap := int(k.draw(-6, r) % 4); r+1 < len(parts) && gap <= borders[r+1]-borders[r] {
			parts[r].To -= gap
		}
	}
	own := k.values(k.Rank(), n)
	got := slices.Clone(own)
	if err := k.SumParts64(k.ctx, got, parts, nil); err != nil {
		return err
	}
	for r, p := range parts {
		next := behind
		if r+1 < len(parts) {
			next = parts[r+1].From
		}
		if err := same(got[p.To:next], own[p.To:next]); err != nil {
			return fmt.Errorf("between parts: %w", err)
		}
	}
	if p := parts[k.Rank()]; p.From < p.To {
		if err := same(got[p.From:p.To], k.sums(n)[p.From:p.To]); err != nil {
			return err
		}
	}
	return same(got[behind:], k.sums(n)[behind:])
}

// sumChunks sums in parts of equal lengths and a value behind them, whose chunks another goroutine makes while the call is made.
func (k *checker) sumChunks(n int) error {
	const chunks = 3
	behind := max(0, n-1)
	parts := make([]comm.Part, 0, chunks*k.Size())
	for c := range chunks {
		for r := range k.Size() {
			from, to := behind*r/k.Size(), behind*(r+1)/k.Size()
			parts = append(parts, comm.Part{From: from + (to-from)*c/chunks, To: from + (to-from)*(c+1)/chunks})
		}
	}
	own := k.values(k.Rank(), n)
	got := make([]uint64, n)
	copy(got[behind:], own[behind:])
	var made [chunks]chan struct{}
	for c := range made {
		made[c] = make(chan struct{})
	}
	go func() {
		for c := range chunks {
			time.Sleep(time.Duration(k.draw(-7, c) % 300_000))
			for _, p := range parts[c*k.Size() : (c+1)*k.Size()] {
				copy(got[p.From:p.To], own[p.From:p.To])
			}
			close(made[c])
		}
	}()
	if err := k.SumParts64(k.ctx, got, parts, func(chunk int) { <-made[chunk] }); err != nil {
		return err
	}
	from, to := behind*k.Rank()/k.Size(), behind*(k.Rank()+1)/k.Size()
	if err := same(got[from:to], k.sums(n)[from:to]); err != nil {
		return err
	}
	return same(got[behind:], k.sums(n)[behind:])
}

// max takes the largest of numbers that are mostly below 0.
func (k *checker) max(n int) error {
	numbers := func(rank int) []float64 {
		return convert(k.values(rank, n), func(v uint64) float64 { return float64(rng.Unit(v)) - 0.9 })
	}
	got, want := numbers(k.Rank()), numbers(0)
	for r := range k.Size() {
		for i, v := range numbers(r) {
			want[i] = max(want[i], v)
		}
	}
	if err := k.Max(k.ctx, got); err != nil {
		return err
	}
	return same(got, want)
}

// data returns what a rank gives to Gather and Broadcast: up to 8n bytes.
func (k *checker) data(rank, n int) []byte {
	var data []byte
	for _, v := range k.values(rank, n) {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return data[:k.draw(rank, -2)%uint64(8*n+1)]
}

func (k *checker) gather(n int) error {
	mine := k.data(k.Rank(), n)
	all, err := k.Gather(k.ctx, mine)
	if err != nil {
		return err
	}
	if len(all) != k.Size() {
		return fmt.Errorf("%d slices came", len(all))
	}
	for r, got := range all {
		if err := same(got, k.data(r, n)); err != nil {
			return fmt.Errorf("what rank %d gave: %w", r, err)
		}
		clear(got)
	}
	if !bytes.Equal(mine, k.data(k.Rank(), n)) {
		return errors.New("what came is the caller's own slice")
	}
	return nil
}

func (k *checker) broadcast(n int) error {
	root := k.shared(5, k.Size())
	got, err := k.Broadcast(k.ctx, root, k.data(k.Rank(), n))
	if err != nil {
		return err
	}
	return same(got, k.data(root, n))
}

func (k *checker) barrier(int) error { return k.Barrier(k.ctx) }

func convert[E any](values []uint64, f func(uint64) E) []E {
	converted := make([]E, len(values))
	for i, v := range values {
		converted[i] = f(v)
	}
	return converted
}

func same[E comparable](got, want []E) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d values came, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}
