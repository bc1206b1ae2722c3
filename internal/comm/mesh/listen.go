package mesh

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"boost/internal/comm"
)

// MinToken is the number of characters that a token has at least.
const MinToken = 16

const (
	maxName      = 200
	maxRemarks   = 4
	handshakeEnd = 10 * time.Second // of one connection

	// TellWithin is how long a rank that ends before all have joined stays for the others, which it tells why. They connect at least
	// once a second.
	TellWithin = 5 * time.Second
)

// Listener is the place where the other ranks find one.
type Listener struct {
	listener net.Listener
}

// Listen opens an address, host:port. Port 0 stands for a free one, and an empty host for all addresses of the machine.
func Listen(address string) (*Listener, error) {
	if err := checkByteOrder(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: cannot listen: %w", comm.ErrComm, err)
	}
	return &Listener{l}, nil
}

// Addr returns the address that is open, with its port.
func (l *Listener) Addr() string { return l.listener.Addr().String() }

// Close closes the address. Connect does so too.
func (l *Listener) Close() error { return l.listener.Close() }

// Connect joins rank, 0 ≤ rank < len(addresses), with all others. addresses has where each rank listens, host:port by rank, the same
// list at all ranks; a rank connects to those below it. Connect returns when all ranks are connected with each other.
//
// A connection that comes without the token, or from another run, is closed, and the wait goes on. It ends with an error when a rank
// has another size of the training or another version of the program, when this rank is turned away by one of those that
// it connects to (as where it is there twice), when another rank ends, or after o.Wait; that error names the ranks that are missing, and
// what was turned away. When ctx is done, it ends as soon as all ranks are connected, or after TellWithin: those that are connected then end
// with the context's cause.
func (l *Listener) Connect(ctx context.Context, rank int, addresses []string, o Options) (*Mesh, error) {
	defer l.Close()
	o.Wait, o.Silence = cmp.Or(o.Wait, 2*time.Minute), cmp.Or(o.Silence, 8*time.Second)
	switch {
	case len(addresses) == 0 || rank < 0 || rank >= len(addresses):
		return nil, fmt.Errorf("%w: rank %d of %d: ranks count from 0", comm.ErrComm, rank, len(addresses))
	case len(o.Token) < MinToken:
		return nil, fmt.Errorf("%w: the token has %d characters: give all ranks the same random one of at least %d", comm.ErrComm, len(o.Token), MinToken)
	case len(o.Run) > maxName || len(o.Version) > maxName:
		return nil, fmt.Errorf("%w: the names of the run and of the version have up to %d bytes", comm.ErrComm, maxName)
	}
	m := newMesh(rank, addresses, o)
	m.instance = rand.Text()
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Wait)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(TellWithin, cancel) })()
	j := &joining{Mesh: m, ctx: waiting, trouble: make([]error, rank)}
	if o.TLS {
		var err error
		if j.tls, err = ephemeral(); err != nil {
			return nil, fmt.Errorf("%w: %w", comm.ErrComm, err)
		}
	}
	m.running.Go(m.beats)
	m.running.Go(m.send)
	j.pending.Go(func() { j.accept(l.listener) })
	for _, p := range m.peers[:rank] {
		j.pending.Go(func() { j.dial(p) })
	}
	select {
	case <-m.complete:
		m.beginSpinning()
	case <-m.failed:
	case <-waiting.Done():
		if ctx.Err() == nil {
			m.fail(j.missing(), nil)
		} else {
			m.fail(m.lastWords(context.Cause(ctx)), comm.Stopped(ctx))
		}
	}
	cancel()
	l.Close()
	j.pending.Wait()
	if err := m.Barrier(ctx); err != nil { // others may still wait for a rank; all are told where ctx is done
		m.Close()
		return nil, err
	}
	return m, nil
}

// joining is a mesh whose ranks connect.
type joining struct {
	*Mesh
	ctx     context.Context
	tls     *tls.Config // nil for none
	pending sync.WaitGroup

	mu      sync.Mutex
	remarks []string // what was turned away
	trouble []error  // why there is no connection to the ranks below this one yet
}

// remark notes why a connection was closed; the last ones stay.
func (j *joining) remark(address string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := fmt.Sprintf("%s: %v", address, err)
	if j.remarks = append(j.remarks, text); len(j.remarks) > maxRemarks {
		j.remarks = slices.Delete(j.remarks, 0, 1)
	}
}

// missing returns the error of ranks that did not connect in time.
func (j *joining) missing() *comm.Error {
	j.Mesh.mu.Lock()
	var ranks []string
	blame := -1
	for r, p := range j.peers {
		if r != j.rank && p.data == nil {
			ranks, blame = append(ranks, fmt.Sprint(r)), r
		}
	}
	j.Mesh.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	text := fmt.Sprintf("did not connect to rank %d within %v", j.rank, j.o.Wait)
	if len(ranks) > 1 {
		blame = -1
		text = fmt.Sprintf("ranks %s of %d %s", strings.Join(ranks, ", "), j.Size(), text)
	}
	for r, err := range j.trouble {
		if err != nil {
			text += fmt.Sprintf("; rank %d at %s: %v", r, j.addresses[r], err)
		}
	}
	for _, remark := range j.remarks {
		text += "; turned away " + remark
	}
	return &comm.Error{Rank: blame, Text: shorten(text, maxText)}
}

// accept takes connections until the listener is closed.
func (j *joining) accept(l net.Listener) {
	slots := make(chan struct{}, 64+2*j.Size())
	for {
		c, err := l.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) || j.ctx.Err() != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // too many open files: some will close
			continue
		}
		slots <- struct{}{}
		j.pending.Go(func() {
			defer func() { <-slots }()
			if err := j.attempt(c, nil, ""); err != nil {
				j.remark(c.RemoteAddr().String(), err)
			}
		})
	}
}

// dial connects to a rank, and tries again until it answers as one.
func (j *joining) dial(p *peer) {
	for _, channel := range []channel{forControl, forData} {
		for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
			dialer := net.Dialer{Timeout: handshakeEnd}
			c, err := dialer.DialContext(j.ctx, "tcp", j.addresses[p.rank])
			answered := err == nil
			if answered {
				if err = j.attempt(c, p, channel); err == nil {
					break
				}
			}
			j.mu.Lock()
			if j.ctx.Err() == nil && (answered || j.trouble[p.rank] == nil) { // an answer tells more than none
				j.trouble[p.rank] = err
			}
			j.mu.Unlock()
			select {
			case <-j.ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
	j.mu.Lock()
	j.trouble[p.rank] = nil
	j.mu.Unlock()
}

// attempt finds out who is at the other end of a connection: p, or any rank above this one if p is nil. It closes those that
// it does not keep.
func (j *joining) attempt(c net.Conn, p *peer, channel channel) error {
	stop := context.AfterFunc(j.ctx, func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(handshakeEnd))
	var kept bool
	var err error
	if p != nil {
		kept, err = j.introduce(c, p, channel, stop)
	} else {
		kept, err = j.receive(c, stop)
	}
	if !kept {
		stop()
		_ = c.Close()
	}
	var fatal *comm.Error
	if errors.As(err, &fatal) {
		j.fail(fatal, nil)
	}
	return err
}

// keep makes a connection that of a rank. It writes the verdict first, if there is one, before anything else is written. stop holds back what closes
// the connection where the wait ends.
func (j *joining) keep(c net.Conn, p *peer, channel channel, instance string, stop func() bool, verdict []byte) error {
	j.Mesh.mu.Lock()
	defer j.Mesh.mu.Unlock()
	// Without a verdict to write, the other end has kept the connection: it is told where this rank has failed meanwhile.
	tells := j.failing && !j.closed && verdict == nil && channel == forControl
	switch {
	case (j.failing || j.closed) && !tells:
		return &failedError{j.told}
	case channel == forControl && p.control != nil || channel == forData && p.data != nil || p.instance != "" && p.instance != instance:
		return fmt.Errorf("rank %d is there already, from %v", p.rank, p.control.RemoteAddr())
	case channel == forData && p.control == nil:
		return errors.New("the connections of a rank come in another order")
	case !stop():
		return context.Cause(j.ctx)
	}
	if verdict != nil {
		writeVerdict(c, accepted, verdict) // the reader of the connection sees if that fails
	}
	_ = c.SetDeadline(time.Time{})
	p.instance = instance
	if channel == forData {
		p.data, p.near = c, onThisMachine(c)
	} else {
		p.mu.Lock()
		p.control = c
		p.mu.Unlock()
		p.heard.Store(int64(time.Since(j.began)))
		j.running.Go(func() { j.listen(p) })
	}
	if tells {
		p.tell(failure, j.told)
	}
	if j.Mesh.state.missing--; j.Mesh.state.missing == 0 {
		close(j.complete)
	}
	return nil
}

// failedError is what ends the connections that come to a rank which has failed.
type failedError struct{ told []byte }

func (e *failedError) Error() string { return "this rank has failed" }

// onThisMachine reports whether both ends of a connection have one address.
func onThisMachine(c net.Conn) bool {
	here, _, err := net.SplitHostPort(c.LocalAddr().String())
	there, _, err2 := net.SplitHostPort(c.RemoteAddr().String())
	return err == nil && err2 == nil && here == there
}

// maxSpin is how long a rank looks out for another one before it sleeps.
const maxSpin = 300 * time.Microsecond

// beginSpinning makes reads of numbers spin, where each rank of this machine has a processor for it.
func (m *Mesh) beginSpinning() {
	near, processors := 1, runtime.GOMAXPROCS(0)
	m.others(func(p *peer) {
		if p.near {
			near++
		}
	})
	if near <= processors && processors > 1 {
		m.others(func(p *peer) { p.spinning.begin(p.data, maxSpin) })
	}
}
