package chunk

import (
	"context"
	"io"
	"os"
)

// contextReader reads a stream that may be silent for any time in a goroutine of its own, so
// that whoever reads gives up once the context is done. The goroutine reads only when it
// is asked to; one read, at most, is still waiting for its bytes after that.
type contextReader struct {
	ctx    context.Context
	asked  chan struct{}
	came   chan packet
	unread packet // what is left of the latest
}

// openUntilDone opens a stream for reading until the context is done. What cannot be waited for is
// read as it is.
func openUntilDone(ctx context.Context, open func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	if ctx.Done() == nil {
		return open()
	}
	// One place in each: there is one question at a time, and its answer is always taken.
	p := &contextReader{ctx: ctx, asked: make(chan struct{}, 1), came: make(chan packet, 1)}
	go p.run(open)
	return p, nil
}

func (p *contextReader) run(open func() (io.ReadCloser, error)) {
	stream, err := open() // a named pipe opens once somebody writes to it
	if err == nil {
		defer stream.Close()
	}
	buffer := make([]byte, readAhead)
	for range p.asked {
		n := 0
		if err == nil {
			n, err = stream.Read(buffer)
		}
		p.came <- packet{buffer[:n], err}
	}
}

func (p *contextReader) Read(b []byte) (int, error) {
	for len(p.unread.bytes) == 0 {
		if p.unread.err != nil {
			return 0, p.unread.err
		}
		p.asked <- struct{}{}
		select {
		case p.unread = <-p.came:
		case <-p.ctx.Done():
			p.unread.err = p.ctx.Err()
		}
	}
	n := copy(b, p.unread.bytes)
	p.unread.bytes = p.unread.bytes[n:]
	return n, nil
}

// Close lets the stream be closed as soon as nothing is read from it.
func (p *contextReader) Close() error {
	close(p.asked)
	return nil
}

// isFile reports whether a stream is a file on a disk, which never keeps anyone waiting.
func isFile(stream io.Reader) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// StreamInput is the input for a stream, which is copied while it is read if keep says so.
func StreamInput(ctx context.Context, stream io.Reader, name string, keep bool) Input {
	first := func() (io.ReadCloser, error) { return io.NopCloser(stream), nil }
	if isFile(stream) {
		ctx = context.Background()
	}
	return (&spool{name: name, Keep: keep, first: func() (io.ReadCloser, error) { return openUntilDone(ctx, first) }}).input()
}
