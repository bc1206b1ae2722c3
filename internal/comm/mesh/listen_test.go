package mesh_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mesh"
)

// meet connects ranks with an option of their own each and returns their errors by rank.
func meet(t *testing.T, addresses []string, listeners []*mesh.Listener, options []mesh.Options) []error {
	t.Helper()
	errs := make([]error, len(options))
	ends := make([]*mesh.Mesh, len(options))
	done := make(chan struct{})
	for r, o := range options {
		go func() {
			ends[r], errs[r] = listeners[r].Connect(t.Context(), r, addresses, o)
			done <- struct{}{}
		}()
	}
	for range options {
		<-done
	}
	for _, m := range ends {
		if m != nil {
			_ = m.Close()
		}
	}
	return errs
}

// Ranks that do not belong together say what differs.
func TestTurnedAway(t *testing.T) {
	base := mesh.Options{Token: token, Run: "a", Version: "1.0", Wait: 30 * time.Second}
	with := func(change func(o *mesh.Options)) []mesh.Options {
		other, first := base, base
		change(&other)
		if other.Token != base.Token || other.Run != base.Run || other.TLS != base.TLS {
			first.Wait = 2 * time.Second // it goes on waiting for a rank of its own
			other.Wait = first.Wait
		}
		return []mesh.Options{first, other}
	}
	for _, test := range []struct {
		name          string
		options       []mesh.Options
		first, second string // words of the errors
	}{
		{"token", with(func(o *mesh.Options) { o.Token = strings.ToUpper(token) }), "it has another token", "the tokens differ"},
		{"run", with(func(o *mesh.Options) { o.Run = "b" }), `it belongs to run "b", this rank to "a"`, `it belongs to run "a", this rank to "b"`},
		{"version", with(func(o *mesh.Options) { o.Version = "1.1" }), `it runs version "1.1", this rank "1.0"`, `version "1.0"`},
		{"TLS", with(func(o *mesh.Options) { o.TLS = true }), "TLS is on at only one of the two", "TLS is on at only one of the two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			listeners, addresses := listen(t, 2)
			began := time.Now()
			errs := meet(t, addresses, listeners, test.options)
			commtest.Blames(t, errs[0], 1, test.first)
			commtest.Blames(t, errs[1], -1, test.second)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("that took %v", took)
			}
		})
	}
}

func TestOtherSize(t *testing.T) {
	t.Parallel()
	listeners, addresses := listen(t, 3)
	errs := make(chan error)
	go func() {
		_, err := listeners[0].Connect(t.Context(), 0, addresses[:2], mesh.Options{Token: token})
		errs <- err
	}()
	_, err := listeners[1].Connect(t.Context(), 1, addresses, mesh.Options{Token: token})
	commtest.Blames(t, err, 0, "it is one of 2 ranks, this rank one of 3")
	commtest.Blames(t, <-errs, 1, "it is one of 3 ranks, this rank one of 2")
}

func TestOtherOrder(t *testing.T) {
	t.Parallel()
	listeners, addresses := listen(t, 2)
	first := make(chan error)
	go func() {
		_, err := listeners[0].Connect(t.Context(), 0, addresses, mesh.Options{Token: token, Wait: 2 * time.Second})
		first <- err
	}()
	_, err := listeners[1].Connect(t.Context(), 1, []string{addresses[1], addresses[0]}, mesh.Options{Token: token})
	commtest.Blames(t, err, 0, "in another order")
	commtest.Blames(t, <-first, 1, "did not connect")
}

func TestMissing(t *testing.T) {
	t.Parallel()
	listeners, addresses := listen(t, 4)
	_ = listeners[3].Close()
	o := mesh.Options{Token: token, Wait: 2 * time.Second}
	for _, err := range meet(t, addresses, listeners[:3], []mesh.Options{o, o, o}) {
		commtest.Blames(t, err, 3, "did not connect")
	}
	listeners, addresses = listen(t, 4)
	_ = listeners[1].Close()
	_, err := listeners[2].Connect(t.Context(), 2, addresses, o)
	commtest.Blames(t, err, -1, "ranks 0, 1, 3 of 4 did not connect to rank 2 within 2s")
	commtest.Blames(t, err, -1, "refused")
	_, _ = listeners[0].Close(), listeners[3].Close()
}

// One of two processes that are both rank 2 is turned away, and the others meet.
func TestTwice(t *testing.T) {
	t.Parallel()
	listeners, addresses := listen(t, 4)
	connect := func(listener, rank int, errs chan error) {
		m, err := listeners[listener].Connect(t.Context(), rank, addresses[:3], mesh.Options{Token: token})
		if err == nil {
			_ = m.Close()
		}
		errs <- err
	}
	twice, others := make(chan error), make(chan error)
	go connect(0, 0, others)
	go connect(2, 2, twice)
	go connect(3, 2, twice)
	commtest.Blames(t, <-twice, 0, "rank 2 is there already, from 127.0.0.1:")
	go connect(1, 1, others)
	for _, errs := range []chan error{others, others, twice} {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// What connects and is no rank does not disturb those who meet.
func TestStrangers(t *testing.T) {
	t.Parallel()
	for _, tls := range []bool{false, true} {
		listeners, addresses := listen(t, 2)
		first := make(chan error)
		go func() {
			m, err := listeners[0].Connect(t.Context(), 0, addresses, mesh.Options{Token: token, TLS: tls})
			if err == nil {
				err = m.Close()
			}
			first <- err
		}()
		for _, words := range []string{
			"", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("\x00", 5000), "boostRNK\x01\x00\xff\xff", "boostRNK\x01\x00\x10\x00",
			"boostRNK\x01\x00\x02\x00{}" + strings.Repeat("x", 32),
		} {
			c, err := net.Dial("tcp", addresses[0])
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Write([]byte(words)); err != nil {
				t.Fatal(err)
			}
			if words != "" { // that one is held open and stays silent
				_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
				if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) || err != nil && strings.Contains(err.Error(), "timeout") {
					t.Errorf("after %q the connection stays open", words)
				}
			}
		}
		m, err := listeners[1].Connect(t.Context(), 1, addresses, mesh.Options{Token: token, TLS: tls})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(<-first, m.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	for _, test := range []struct {
		rank  int
		token string
		words string
	}{
		{0, "short", "the token has 5 characters"},
		{2, token, "rank 2 of 2"},
		{-1, token, "rank -1 of 2"},
	} {
		listeners, addresses := listen(t, 1)
		_, err := listeners[0].Connect(t.Context(), test.rank, append(addresses, ""), mesh.Options{Token: test.token})
		if !errors.Is(err, comm.ErrComm) || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%v, want %q", err, test.words)
		}
	}
}

func TestConnectInterrupted(t *testing.T) {
	listeners, addresses := listen(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := listeners[1].Connect(ctx, 1, addresses, mesh.Options{Token: token}); !errors.Is(err, context.Canceled) || !errors.Is(err, comm.ErrComm) {
		t.Error(err)
	}
	_ = listeners[0].Close()
}

// A rank that ends before all have joined tells those that connect soon, and these tell the others.
func TestEndsBeforeAllHaveJoined(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tokens  []string
		ends    int
		missing int // a rank that does not come, -1 for none
		told    bool
	}{
		{"the first", []string{token, token, token}, 0, -1, true},
		{"the last", []string{token, token, token}, 2, -1, true},
		{"one is missing", []string{token, token, token, token}, 2, 1, true},
		{"without the token", []string{token, token, strings.ToUpper(token)}, 2, -1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := len(test.tokens)
			listeners, addresses := listen(t, n)
			errs := make([]error, n)
			var all sync.WaitGroup
			began := time.Now()
			for r, token := range test.tokens {
				ctx, o := t.Context(), mesh.Options{Token: token, Wait: time.Minute}
				switch {
				case r == test.missing:
					_ = listeners[r].Close()
					continue
				case r == test.ends:
					stopped, cancel := context.WithCancelCause(ctx)
					cancel(errors.New("could not start: why"))
					ctx = stopped
				case !test.told:
					o.Wait = mesh.TellWithin + time.Second
				}
				all.Go(func() {
					if r != test.ends {
						time.Sleep(500 * time.Millisecond) // it comes later
					}
					_, errs[r] = listeners[r].Connect(ctx, r, addresses, o)
				})
			}
			all.Wait()
			for r, err := range errs {
				switch {
				case r == test.missing:
				case r == test.ends && test.told:
					if !errors.Is(err, context.Canceled) {
						t.Errorf("the rank ends with %v", err)
					}
				case r == test.ends:
					commtest.Blames(t, err, -1, "the tokens differ")
				case test.told:
					commtest.Blames(t, err, test.ends, "could not start: why")
				default:
					commtest.Blames(t, err, -1, "did not connect")
				}
			}
			if took := time.Since(began); test.told && took > 2*mesh.TellWithin {
				t.Errorf("that took %v", took)
			}
		})
	}
}

// slowAnswers returns the address of a proxy to another one that lets the first answer of each connection pass, and what follows once
// it may.
func slowAnswers(t *testing.T, address string, may <-chan struct{}) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", address)
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(out, in)
				_ = out.Close()
			}()
			go func() {
				first := make([]byte, 4096)
				if n, err := out.Read(first); err == nil {
					_, _ = in.Write(first[:n])
					<-may
					_, _ = io.Copy(in, out)
				}
				_ = in.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// A rank that ends where another one has its connection and it does not know so yet, tells that one why all the same.
func TestEndsBeforeTheVerdict(t *testing.T) {
	t.Parallel()
	listeners, addresses := listen(t, 3)
	may, late := make(chan struct{}), make(chan struct{})
	defer close(late)
	errs := make([]error, len(addresses))
	var all sync.WaitGroup
	for r := range addresses {
		ctx, know := t.Context(), slices.Clone(addresses)
		switch r {
		case 1: // rank 0 learns nothing of it
			stopped, cancel := context.WithCancelCause(ctx)
			cancel(errors.New("could not start: why"))
			ctx, know[0] = stopped, slowAnswers(t, addresses[0], late)
		case 2:
			know[0] = slowAnswers(t, addresses[0], may)
		}
		all.Go(func() {
			_, errs[r] = listeners[r].Connect(ctx, r, know, mesh.Options{Token: token, Wait: time.Minute})
		})
	}
	time.Sleep(mesh.TellWithin + time.Second) // rank 1 has told rank 2 now, which ends
	close(may)
	all.Wait()
	commtest.Blames(t, errs[0], 1, "could not start: why")
	commtest.Blames(t, errs[2], 1, "could not start: why")
	if !errors.Is(errs[1], context.Canceled) {
		t.Errorf("the rank ends with %v", errs[1])
	}
}

// Connections of ranks that have met have no deadline left of the time in which they met.
func TestMeetsForLong(t *testing.T) {
	t.Parallel()
	const pairs = 8
	var all sync.WaitGroup
	for range pairs {
		listeners, addresses := listen(t, 2)
		for r := range addresses {
			all.Go(func() {
				m, err := listeners[r].Connect(t.Context(), r, addresses, mesh.Options{Token: token, Silence: time.Minute})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(mesh.TellWithin + time.Second)
				if err := m.Barrier(t.Context()); err != nil {
					t.Error(err)
				}
				_ = m.Close()
			})
		}
	}
	all.Wait()
}
