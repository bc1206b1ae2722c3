// Package mesh joins the ranks of a training over TCP.
//
// Each pair of ranks has two connections: one for the numbers, which only a call reads and writes, and one that background
// goroutines read and write at all times, for signs of life and last words. A full mesh of them lets every rank see at first
// hand that any other ended. It also lets a sum take two steps for any number of ranks: each rank gets its part of the sum
// from all others, then gives it to all others. A ring sends as many bytes, but in 2(n-1) steps. A mesh of some hundred ranks
// is small beside what the rows need: two sockets and one goroutine for each other rank.
//
// Ranks know each other by a shared secret that never goes over the wire. Without TLS what they send can be read, and changed by
// whoever is between them; a checksum finds accidents only.
package mesh

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"boost/internal/comm"
)

// Options say which ranks belong together and how long they wait. All ranks have the same.
type Options struct {
	Token   string        // the shared secret, at least 16 characters; crypto/rand.Text makes a good one
	Run     string        // the name of the run: ranks of another one are turned away; up to 200 bytes
	Version string        // of the program; all ranks run the same; up to 200 bytes
	TLS     bool          // encrypt with TLS 1.3, bound to the token; no certificates are needed
	Wait    time.Duration // until all ranks are connected; 0 for 2 minutes
	Silence time.Duration // after which a rank without signs of life has failed; 0 for 8 s
	Narrow  bool          // treat ranks of this machine as those of others: sums in as few bytes as they take, where it takes longer than to send them whole
}

// Mesh is one rank's end. Its calls allocate nothing in sums of lengths that it has seen.
type Mesh struct {
	o         Options
	rank      int
	addresses []string
	instance  string  // of this process: its connections belong together
	peers     []*peer // by rank; that of this rank has no connections
	began     time.Time
	done      chan struct{} // closed by Close
	running   sync.WaitGroup

	state
	sender
	head   [headBytes]byte // of a frame that is read
	in     []byte          // its values
	parts  []comm.Part     // of a sum, in bytes
	tail   []byte          // what is sent of the values behind them
	sleeps bool            // a call waits without looking all the time: its rank computes
	token  [1]uint64       // what goes round in Barrier

	comm.Clock
	sent, received atomic.Int64 // bytes
}

// peer is another rank. Its connections do not change once they are set.
type peer struct {
	rank     int
	instance string   // of its process
	control  net.Conn // nil until set, under the lock of state
	data     net.Conn // likewise
	near     bool     // on this machine; likewise
	spinning          // on data

	mu    sync.Mutex   // of what is written to control
	mute  bool         // nothing more is written to control
	heard atomic.Int64 // when it last gave a sign of life, in nanoseconds since began
	left  atomic.Bool  // it makes no more calls
	over  chan struct{}
	end   sync.Once // closes over: it has confirmed that this rank leaves, or control is at its end
}

// state is what calls and background goroutines of a rank share.
type state struct {
	mu       sync.Mutex
	missing  int           // connections that are not there yet
	complete chan struct{} // closed when none is missing
	failed   chan struct{} // closed when err is set and the other ranks know
	failing  bool
	told     []byte // what the others are told then: see failure
	closed   bool
	err      error // what all calls end with

	calls     int64 // begun so far
	within    bool  // a call is being made
	signature signature
	blame     *comm.Error // what calls behind lastCall end with, of a rank that has failed behind that one; nil for nothing
	lastCall  int64
	leaver    int   // the rank that left after the fewest calls, -1 for none
	leftAfter int64 // its number of calls

	watched   <-chan struct{} // the context that stops calls, by what it closes
	stopWatch func() bool
}

// signature is what all ranks agree on in a call.
type signature struct {
	kind   kind
	detail uint32 // the root of Broadcast, a checksum of the parts of SumParts64
	total  uint64 // values
}

func (s signature) String() string {
	switch s.kind {
	case gatherBytes, barrier:
		return s.kind.String()
	case broadcastBytes:
		return fmt.Sprintf("%v from rank %d", s.kind, s.detail)
	case sumParts64:
		return fmt.Sprintf("%v of %d values (parts %08x)", s.kind, s.total, s.detail)
	}
	return fmt.Sprintf("%v of %d values", s.kind, s.total)
}

func newMesh(rank int, addresses []string, o Options) *Mesh {
	m := &Mesh{
		o: o, rank: rank, addresses: addresses, began: time.Now(), done: make(chan struct{}),
		state:  state{missing: 2 * (len(addresses) - 1), complete: make(chan struct{}), failed: make(chan struct{}), leaver: -1},
		sender: sender{jobs: make(chan struct{}, 1), over: make(chan struct{}, 1), out: make([]byte, headBytes, headBytes+directBytes)},
		in:     make([]byte, chunkBytes),
	}
	m.some = m.writeSome
	if m.missing == 0 {
		close(m.complete)
	}
	for r := range addresses {
		m.peers = append(m.peers, &peer{rank: r, over: make(chan struct{})})
	}
	return m
}

func (m *Mesh) Rank() int { return m.rank }
func (m *Mesh) Size() int { return len(m.peers) }

// Far implements comm.Distant.
func (m *Mesh) Far() (far bool) {
	m.others(func(p *peer) { far = far || !p.near })
	return far || m.o.Narrow
}

// others calls f for all other ranks, the next one first.
func (m *Mesh) others(f func(p *peer)) {
	for i := 1; i < m.Size(); i++ {
		f(m.peers[(m.rank+i)%m.Size()])
	}
}

func (m *Mesh) Stats() comm.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	// All ranks of a mesh have made one call, Barrier, when they connected.
	s := comm.Stats{Calls: int(m.calls) - 1, Sent: m.sent.Load(), Received: m.received.Load()}
	s.Waited, s.Overlapped = m.Times()
	return s
}

// begin enters a call.
func (m *Mesh) begin(ctx context.Context, s signature) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return comm.ErrClosed
	}
	select {
	case <-m.failed:
		return m.err
	default:
	}
	if ctx.Err() != nil {
		m.failLocked(m.lastWords(context.Cause(ctx)), comm.Stopped(ctx))
		return m.err
	}
	m.calls++
	m.within, m.signature = true, s
	if m.leaver >= 0 && m.leftAfter < m.calls {
		m.failLocked(&comm.Error{Rank: m.leaver, Text: "left"}, nil)
		return m.err
	}
	if done := ctx.Done(); done != m.watched {
		if m.stopWatch != nil {
			m.stopWatch()
		}
		m.watched, m.stopWatch = done, nil
		if done != nil {
			m.stopWatch = context.AfterFunc(ctx, func() { m.interrupt(ctx) })
		}
	}
	return nil
}

// end leaves a call that ends with err.
func (m *Mesh) end(began time.Time) {
	m.Called(time.Since(began))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.within = false; m.blame != nil && m.calls >= m.lastCall {
		m.failLocked(m.blame, nil)
	}
}

// made returns the number of calls that this rank has ended.
func (m *Mesh) made() int64 {
	if m.within {
		return m.calls - 1
	}
	return m.calls
}

// failAfter ends the calls of this rank because of a rank that has failed after so many calls. Of these, this one has all that others sent for
// it, and ends those first: what it learns by them may be what it fails with itself.
func (m *Mesh) failAfter(calls int64, blame *comm.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made() >= calls {
		m.failLocked(blame, nil)
		return
	}
	if m.blame == nil {
		m.blame, m.lastCall = blame, calls
		time.AfterFunc(lastCallsWithin, func() { m.fail(blame, nil) })
	}
}

// lastCallsWithin is how long calls may take that a rank which has failed has made.
const lastCallsWithin = 2 * time.Second

// interrupt ends the call that is being made with a context.
func (m *Mesh) interrupt(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.within && m.watched == ctx.Done() {
		m.failLocked(m.lastWords(context.Cause(ctx)), comm.Stopped(ctx))
	}
}

// lastWords returns the error that the others get because of one of this rank.
func (m *Mesh) lastWords(cause error) *comm.Error {
	blame := comm.Blame(m.rank, cause)
	return &comm.Error{Rank: blame.Rank, Text: shorten(blame.Text, maxText)}
}

func (m *Mesh) Abort(cause error) { m.fail(m.lastWords(cause), nil) }

// fail ends all calls of all ranks with an error. The first one stays. own is what calls of this rank end with where that is
// another one. The other ranks are told before a call of this rank ends, because its process may end then.
func (m *Mesh) fail(blame *comm.Error, own error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failLocked(blame, own)
}

func (m *Mesh) failLocked(blame *comm.Error, own error) {
	if m.failing || m.closed {
		return
	}
	if m.blame != nil {
		blame = m.blame
	}
	m.failing, m.err = true, blame
	if own != nil {
		m.err = own
	}
	m.told = binary.LittleEndian.AppendUint64(nil, uint64(m.made()))
	m.told = append(binary.LittleEndian.AppendUint32(m.told, uint32(blame.Rank)), blame.Text...)
	m.others(func(p *peer) { p.tell(failure, m.told) })
	close(m.failed)
	m.others(func(p *peer) {
		if p.data != nil {
			_ = p.data.SetDeadline(time.Unix(1, 0)) // ends what waits
		}
	})
}

// broken returns what a call ends with because a connection for numbers is at its end. Why the rank at its other end ended
// comes by another connection.
func (m *Mesh) broken(p *peer, err error) error {
	select {
	case <-m.failed:
	case <-time.After(time.Second):
		m.fail(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("left: %v", err)}, nil)
	}
	return m.err
}

// Close tells the other ranks that this one makes no more calls, and waits up to a second for the answers of those that give signs of
// life, so that all they should know has reached them.
func (m *Mesh) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	if m.stopWatch != nil {
		m.stopWatch()
	}
	bye := binary.LittleEndian.AppendUint64(nil, uint64(m.calls))
	m.mu.Unlock()

	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	m.others(func(p *peer) { p.tell(leaving, bye) })
	late := false
	m.others(func(p *peer) {
		if p.control == nil || late || time.Since(m.began)-time.Duration(p.heard.Load()) > m.o.Silence/2 { // one that is silent answers no more
			return
		}
		select {
		case <-p.over:
		case <-limit.C:
			late = true
		}
	})
	close(m.done)
	close(m.jobs)
	m.others(func(p *peer) {
		for _, c := range []net.Conn{p.control, p.data} {
			if c != nil {
				_ = c.Close()
			}
		}
	})
	m.running.Wait()
	return nil
}

// shorten cuts a text to at most n bytes, between characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := 0
	for i := range text {
		if i > n-3 {
			break
		}
		cut = i
	}
	return text[:cut] + "…"
}
