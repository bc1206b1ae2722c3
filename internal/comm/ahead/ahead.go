// Package ahead sends the sums of a histogram to the ranks that need them while others of its sums are still added up.
package ahead

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"time"

	"boost/internal/comm"
)

// Sender sends sums in chunks, each of which has some features of every rank's part. A goroutine makes the call while workers make the tiles of
// the histogram, those of the first chunk first.
//
// Memory: a byte per feature, and a number and a byte per tile.
type Sender struct {
	ranks   *comm.Ranks
	chunkOf []uint8       // by feature
	parts   []comm.Part   // by chunk and rank: slots
	order   []int         // of tiles
	touches []uint8       // by tile: bits of its chunks
	over    chan struct{} // the call is made
	going   bool

	mu    sync.Mutex
	some  *sync.Cond      // a chunk lacks none
	lacks [chunks]int     // tiles that are not made
	first time.Time       // when the first chunk was there
	await func(chunk int) // the method wait, made once
}

const chunks = 8

const (
	// Slots is the number of slots above which sums are sent ahead. Growers build one histogram at a time there.
	Slots = 1 << 16
	// leastUpdates is the number of updates of a rank from which they are: half a millisecond or more.
	leastUpdates = 1 << 20
)

// Share divides the features of each rank's part of the slots into chunks.
func (s *Sender) Share(ranks *comm.Ranks, offsets []uint32, parts []comm.Part) {
	features := len(offsets) - 1
	if s.ranks = ranks; offsets[features] <= Slots || !ranks.Far() {
		s.chunkOf = s.chunkOf[:0]
		return
	}
	s.chunkOf = slices.Grow(s.chunkOf[:0], features)[:features]
	s.parts = slices.Grow(s.parts[:0], chunks*len(parts))[:chunks*len(parts)]
	f := 0
	for r, p := range parts {
		for c := range chunks {
			part := &s.parts[c*len(parts)+r]
			for part.From = int(offsets[f]); f < features && int(offsets[f]) < p.From+(p.To-p.From)*(c+1)/chunks; f++ {
				s.chunkOf[f] = uint8(c)
			}
			part.To = int(offsets[f])
		}
	}
	if s.over == nil {
		s.over, s.some, s.await = make(chan struct{}, 1), sync.NewCond(&s.mu), s.wait
	}
}

// Worth reports whether the sums of a node are sent ahead which has at most so many rows at all ranks, and of them so many features: all ranks
// do it, or none, whatever their own rows are.
func (s *Sender) Worth(rows, features int) bool {
	return len(s.chunkOf) > 0 && rows/s.ranks.Size()*features >= leastUpdates
}

// Going reports whether Begin was called and End was not.
func (s *Sender) Going() bool { return s.going }

// Begin begins to send the sums of a histogram that so many tiles are then made of, by Tile: touches calls visit with the features whose sums a
// tile may change. send makes the calls of SumParts64 with these parts and wait.
func (s *Sender) Begin(tiles int, touches func(tile int, visit func(feature int)), send func(parts []comm.Part, wait func(chunk int))) {
	s.going, s.lacks = true, [chunks]int{}
	s.order, s.touches = s.order[:0], s.touches[:0]
	for i := range tiles {
		touched := uint8(0)
		touches(i, func(f int) { touched |= 1 << s.chunkOf[f] })
		s.order, s.touches = append(s.order, i), append(s.touches, touched)
		for c := range s.lacks {
			s.lacks[c] += int(touched >> c & 1)
		}
	}
	slices.SortStableFunc(s.order, func(i, j int) int {
		return bits.TrailingZeros8(s.touches[i]) - bits.TrailingZeros8(s.touches[j])
	})
	s.first = time.Now()
	go func() {
		send(s.parts, s.await)
		s.over <- struct{}{}
	}()
}

// Tile has the i-th tile in the order of chunks made.
func (s *Sender) Tile(i int, build func(tile int)) {
	tile := s.order[i]
	made := false
	defer func() {
		if !made { // a panic will end this rank: nothing waits for the tile
			s.giveUp()
		}
	}()
	build(tile)
	made = true
	s.mu.Lock()
	ready := false
	for touched := s.touches[tile]; touched != 0; touched &= touched - 1 {
		c := bits.TrailingZeros8(touched)
		if s.lacks[c]--; s.lacks[c] > 0 {
			continue
		}
		if ready = true; c == 0 {
			s.first = time.Now()
		}
	}
	if s.mu.Unlock(); ready {
		s.some.Broadcast()
		runtime.Gosched() // all processors may have a worker
	}
}

// giveUp lets the call go on without tiles.
func (s *Sender) giveUp() {
	s.mu.Lock()
	s.lacks = [chunks]int{}
	s.mu.Unlock()
	s.some.Broadcast()
}

// wait waits until a chunk is there.
func (s *Sender) wait(chunk int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.lacks[chunk] > 0 {
		s.some.Wait()
	}
}

// End waits until the sums are added up. All tiles are made.
func (s *Sender) End() {
	s.ranks.Computed(time.Since(s.first))
	<-s.over
	s.going = false
}
