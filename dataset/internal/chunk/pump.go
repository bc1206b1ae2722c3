package chunk

import (
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// watched reads a file and knows, at its end, whether it is the file that it was when the
// table's inputs were found, the first and any other time that it is read.
type watched struct {
	io.Reader
	in   *Input
	stat func() (os.FileInfo, error) // nil where nothing can change
	n    atomic.Int64                // bytes read

	failed atomic.Bool // reading failed, whatever a decompressor makes of it
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.n.Add(int64(n))
	if err == io.EOF {
		err = w.end()
	}
	w.failed.Store(err != nil && err != io.EOF)
	return n, err
}

// end returns io.EOF, or what became of the file. A size of 0 is that of files that the
// system makes while they are read.
func (w *watched) end() error {
	if w.stat == nil || w.in.Size == 0 {
		return io.EOF
	}
	info, err := w.stat()
	switch {
	case err != nil:
		return err
	case w.n.Load() < w.in.Size:
		return Errorf("%s changed while it was read: it has %d bytes of %d", w.in.Name, w.n.Load(), w.in.Size)
	case w.n.Load() > w.in.Size, !sameContent(w.in.found, info):
		return Errorf("%s changed while it was read; read it again once nobody writes to it", w.in.Name)
	}
	return io.EOF
}

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

// UnpackedBy returns by how much the text so far is larger than what was read for it.
func (s *Stream) UnpackedBy() float64 {
	if s.pump == nil {
		return 1
	}
	// Up to streamBuffer was read that is not decompressed yet.
	return 1.2 * math.Float64frombits(s.pump.growth.Load())
}

// Failure says what went wrong while reading.
func (s *Stream) Failure(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errSpool), IsExplained(err):
		return err
	case s.Packed == "" || s.raw.failed.Load():
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Errorf("%s is cut off: its %s data ends too early: %w", s.Name, s.Packed, err)
	case s.pump != nil && s.pump.produced.Load() > 0 && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		return Errorf("%s is damaged: something else follows its %s data: %w", s.Name, s.Packed, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return Errorf("%s asks for more than %s of memory to be decompressed; compress it again without --ultra and --long: %w",
			s.Name, ByteText(ZstdWindow), err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt), s.Packed == "zstd":
		return Errorf("%s is damaged: %w", s.Name, err)
	}
	return Errorf("%s cannot be read: %w", s.Name, WithoutPath(err))
}

// ReadFull fills b. It returns io.EOF where the data ends before; unlike with
// io.ReadFull, io.ErrUnexpectedEOF is always the reader's own and means damage.
func ReadFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	if n == len(b) && err == io.EOF {
		err = nil // the next call reports it
	}
	return n, err
}
