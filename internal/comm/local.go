package comm

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Local returns the ends of n ranks in one process, by rank; n is at least 1. Each end may be used by a goroutine of its own.
// Nothing finds out that a goroutine makes no more calls: the calls of the others wait until their contexts are done, it
// aborts, or it closes its end.
func Local(n int) []Comm {
	h := &hub{failed: make(chan struct{}), left: make([]int, n)}
	for i := range h.meetings {
		h.meetings[i].complete = make(chan struct{})
	}
	ends := make([]Comm, n)
	for r := range ends {
		h.left[r] = staying
		ends[r] = &local{hub: h, rank: r}
	}
	return ends
}

// staying stands for the number of calls of a rank that has not left.
const staying = -1

// hub is what the ranks of Local share. No rank reads the slices of another: each adds its own to those of the meeting, and
// takes the result once all have come.
type hub struct {
	mu       sync.Mutex
	meetings [2]meeting // call c uses meetings[c%2]: when one rank begins call c, all have taken the result of call c-2
	left     []int      // the number of calls that a rank had made when it left, or staying
	failed   chan struct{}
	err      error // why failed is closed
}

// meeting is one call of all ranks.
type meeting struct {
	call     string // what the rank that came first calls
	first    int    // that rank
	come     int
	complete chan struct{} // closed when all have come

	u64   []uint64
	parts [][]uint64 // of SumParts64
	u32   []uint32
	f64   []float64
	data  [][]byte
}

type local struct {
	*hub
	rank   int
	calls  int
	closed bool
	err    error // what all later calls of this rank fail with
	stats  Stats // under the lock of hub
	Clock
}

func (l *local) Rank() int { return l.rank }

// Far has callers do all that they would with ranks of several machines.
func (l *local) Far() bool { return true }

func (l *local) Size() int { return len(l.left) }

func (l *local) Sum64(ctx context.Context, values []uint64) error {
	return l.meet(ctx, fmt.Sprintf("Sum64 of %d values", len(values)), 8*len(values), func(m *meeting) {
		addTo(&m.u64, values, m.come == 0)
	}, func(m *meeting) { copy(values, m.u64) })
}

func (l *local) Sum32(ctx context.Context, values []uint32) error {
	return l.meet(ctx, fmt.Sprintf("Sum32 of %d values", len(values)), 4*len(values), func(m *meeting) {
		addTo(&m.u32, values, m.come == 0)
	}, func(m *meeting) { copy(values, m.u32) })
}

func (l *local) SumParts64(ctx context.Context, values []uint64, parts []Part, wait func(int)) error {
	return l.ByChunk(values, parts, l.Size(), wait, func(values []uint64, parts []Part) error { return l.sumParts(ctx, values, parts) })
}

func (l *local) sumParts(ctx context.Context, values []uint64, parts []Part) error {
	behind := values[parts[len(parts)-1].To:]
	size := 8 * len(behind)
	for _, p := range parts {
		size += 8 * (p.To - p.From)
	}
	return l.meet(ctx, fmt.Sprintf("SumParts64 of %d values in parts %v", len(values), parts), size, func(m *meeting) {
		begins := m.come == 0
		if begins {
			m.parts = make([][]uint64, len(parts))
		}
		for r, p := range parts {
			addTo(&m.parts[r], values[p.From:p.To], begins)
		}
		addTo(&m.u64, behind, begins)
	}, func(m *meeting) {
		for r, p := range parts {
			for i := p.From; i < p.To; i++ {
				if values[i] = ^values[i]; r == l.rank { // so that nobody depends on those of others
					values[i] = m.parts[r][i-p.From]
				}
			}
		}
		copy(behind, m.u64)
	})
}

func (l *local) Max(ctx context.Context, values []float64) error {
	return l.meet(ctx, fmt.Sprintf("Max of %d values", len(values)), 8*len(values), func(m *meeting) {
		if m.come == 0 {
			m.f64 = append(m.f64[:0], values...)
		}
		for i, v := range values {
			m.f64[i] = max(m.f64[i], v)
		}
	}, func(m *meeting) { copy(values, m.f64) })
}

func (l *local) Gather(ctx context.Context, mine []byte) (all [][]byte, err error) {
	err = l.meet(ctx, "Gather", len(mine), func(m *meeting) {
		if m.come == 0 {
			m.data = make([][]byte, l.Size())
		}
		m.data[l.rank] = bytes.Clone(mine)
	}, func(m *meeting) {
		for _, data := range m.data {
			all = append(all, append([]byte{}, data...))
		}
	})
	return all, err
}

func (l *local) Broadcast(ctx context.Context, root int, data []byte) (got []byte, err error) {
	err = l.meet(ctx, fmt.Sprintf("Broadcast of rank %d", root), len(data), func(m *meeting) {
		if m.come == 0 {
			m.data = make([][]byte, 1)
		}
		if l.rank == root {
			m.data[0] = bytes.Clone(data)
		}
	}, func(m *meeting) { got = append([]byte{}, m.data[0]...) })
	return got, err
}

func (l *local) Barrier(ctx context.Context) error {
	return l.meet(ctx, "Barrier", 0, func(*meeting) {}, func(*meeting) {})
}

func (l *local) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Waited, l.stats.Overlapped = l.Times()
	return l.stats
}

func (l *local) Abort(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(Blame(l.rank, cause))
}

func (l *local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.left[l.rank] = l.calls
		if m := &l.meetings[l.calls%2]; m.come > 0 { // others have begun a call that this rank does not make
			l.fail(&Error{Rank: l.rank, Text: "left"})
		}
	}
	return nil
}

// fail ends the calls of all ranks with an error, unless one did so before. The lock is held.
func (h *hub) fail(err error) {
	if h.err == nil {
		h.err = err
		close(h.failed)
	}
}

// meet makes one call, with both functions under the lock: give adds what this rank has to the meeting, where m.come ranks came before; take
// reads the result once all have come.
func (l *local) meet(ctx context.Context, call string, size int, give, take func(m *meeting)) error {
	began := time.Now()
	m, complete, err := l.enter(ctx, call, give)
	if err != nil {
		return err
	}
	select {
	case <-complete:
	case <-l.failed:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Calls++
	l.Called(time.Since(began))
	select {
	case <-complete: // whatever came after that
	default:
		if l.hub.err == nil {
			return l.stop(ctx)
		}
		l.err = l.hub.err
		return l.err
	}
	l.stats.Sent += int64(size)
	l.stats.Received += int64(size)
	take(m)
	return nil
}

func (l *local) enter(ctx context.Context, call string, give func(m *meeting)) (*meeting, chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &l.meetings[l.calls%2]
	switch gone := slices.IndexFunc(l.left, func(calls int) bool { return calls != staying && calls <= l.calls }); {
	case l.err != nil:
		return nil, nil, l.err
	case l.closed:
		return nil, nil, ErrClosed
	case l.hub.err != nil:
	case ctx.Err() != nil:
		return nil, nil, l.stop(ctx)
	case gone >= 0:
		l.fail(&Error{Rank: gone, Text: "left"})
	case m.come == 0:
		m.call, m.first = call, l.rank
	case m.call != call:
		l.fail(&Error{Rank: l.rank, Text: fmt.Sprintf("calls %s where rank %d calls %s: %s", call, m.first, m.call, Differ)})
	}
	if l.err = l.hub.err; l.err != nil {
		return nil, nil, l.err
	}
	l.calls++
	complete := m.complete
	give(m)
	if m.come++; m.come == l.Size() {
		close(complete)
		m.come, m.complete = 0, make(chan struct{})
	}
	return m, complete, nil
}

// stop ends the calls of all ranks because the context of this rank's is done, and returns the error of this rank.
func (l *local) stop(ctx context.Context) error {
	l.fail(&Error{Rank: l.rank, Text: context.Cause(ctx).Error()})
	l.err = Stopped(ctx)
	return l.err
}

// addTo adds values to a sum, or begins it with them.
func addTo[E uint32 | uint64](sum *[]E, values []E, begins bool) {
	if begins {
		*sum = append((*sum)[:0], values...)
		return
	}
	for i, v := range values {
		(*sum)[i] += v
	}
}
