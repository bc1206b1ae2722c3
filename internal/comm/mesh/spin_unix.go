//go:build unix

package mesh

import (
	"runtime"
	"syscall"
	"time"
)

// spinning is how a rank waits for another one that is about as far: it looks again and again for a while before it sleeps, since a
// thread that sleeps takes longer to come than most ranks wait for each other.
type spinning struct {
	most   time.Duration // 0: never
	raw    syscall.RawConn
	misses int // waits in a row in which nothing came in time
	skips  int // waits that are still to sleep at once

	read  func(uintptr) bool // reads into buf, at most until end
	buf   []byte
	n     int
	other func() bool // what else there is to do; nil for nothing

	write   func(uintptr) bool // writes of out
	out     []byte
	written int
}

const (
	// mostMisses is the number of waits in vain after which the next ones sleep at once, and moreSkips how many.
	mostMisses = 4
	moreSkips  = 64
)

// begin prepares to spin on a connection.
func (s *spinning) begin(c any, most time.Duration) {
	conn, ok := c.(syscall.Conn)
	if !ok || most == 0 {
		return // of TLS: what comes need not be for the reader
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	s.raw, s.most = raw, most
	s.read = func(fd uintptr) bool {
		for start := time.Now(); time.Since(start) < s.most; runtime.Gosched() {
			for range 8 {
				if n, err := syscall.Read(int(fd), s.buf); err != syscall.EAGAIN && err != syscall.EINTR {
					s.n = max(n, 0) // the caller meets an end or an error again
					return true
				}
			}
			if s.other != nil && s.other() {
				start = time.Now()
			}
		}
		return true
	}
	s.write = func(fd uintptr) bool {
		n, _ := syscall.Write(int(fd), s.out) // who writes the rest meets an error again
		s.written = max(n, 0)
		return true
	}
}

// spins reports whether wait and writeNow work.
func (s *spinning) spins() bool { return s.raw != nil }

// writeNow writes what there is room for.
func (s *spinning) writeNow(out []byte) int {
	s.out, s.written = out, 0
	_ = s.raw.Write(s.write)
	s.out = nil
	return s.written
}

// wait reads what comes soon, up to len(buf) bytes. Meanwhile it calls other, if that is not nil, which reports whether it did anything.
func (s *spinning) wait(buf []byte, other func() bool) int {
	if s.raw == nil {
		return 0
	}
	if s.skips > 0 {
		s.skips--
		return 0
	}
	s.buf, s.n, s.other = buf, 0, other
	if err := s.raw.Read(s.read); err != nil {
		return 0
	}
	if s.buf = nil; s.n > 0 {
		s.misses = 0
	} else if s.misses++; s.misses >= mostMisses {
		s.misses, s.skips = 0, moreSkips
	}
	return s.n
}
