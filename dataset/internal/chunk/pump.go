package chunk

import (
	"io"
	"math"
	"sync"
	"sync/atomic"
)

// readAhead is what a pump reads at a time; it holds pumpBuffers times as much.
const (
	readAhead   = 256 << 10
	pumpBuffers = 4
)

// pump reads in a goroutine of its own, so that decompressing goes on while what came
// out before is parsed.
type pump struct {
	full     chan packet
	free     chan []byte
	quit     chan struct{}
	ended    sync.WaitGroup
	unread   packet // what is left of the latest packet
	buffer   []byte // all of its bytes
	produced atomic.Int64
	growth   atomic.Uint64 // bits of the float64 produced by consumed
}

type packet struct {
	bytes []byte
	err   error
}

func newPump(r io.Reader, raw *watched, release func()) *pump {
	p := &pump{full: make(chan packet, pumpBuffers), free: make(chan []byte, pumpBuffers), quit: make(chan struct{})}
	for range pumpBuffers {
		p.free <- nil
	}
	p.ended.Add(1)
	go func() {
		defer p.ended.Done()
		defer release()
		p.run(r, raw)
	}()
	return p
}

// run fills buffers until the reader ends or close is called.
func (p *pump) run(r io.Reader, raw *watched) {
	for {
		var buffer []byte
		select {
		case buffer = <-p.free:
		case <-p.quit:
			return
		}
		if buffer == nil {
			buffer = make([]byte, readAhead)
		}
		n, err := ReadFull(r, buffer)
		produced := p.produced.Add(int64(n))
		p.growth.Store(math.Float64bits(float64(max(1, produced)) / float64(max(1, raw.n.Load()))))
		p.full <- packet{buffer[:n], err} // has room for all buffers
		if err != nil {
			return
		}
	}
}

func (p *pump) Read(b []byte) (int, error) {
	for len(p.unread.bytes) == 0 {
		if p.unread.err != nil {
			return 0, p.unread.err
		}
		if p.buffer != nil {
			p.free <- p.buffer
		}
		p.unread = <-p.full
		p.buffer = p.unread.bytes[:cap(p.unread.bytes)]
	}
	n := copy(b, p.unread.bytes)
	p.unread.bytes = p.unread.bytes[n:]
	return n, nil
}

// close ends the goroutine, which calls release as the last thing. Where reading may take
// any time, as from a pipe, close does not wait for that.
func (p *pump) close(wait bool) {
	close(p.quit)
	if wait {
		p.ended.Wait()
	}
}
