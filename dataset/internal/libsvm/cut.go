package libsvm

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"boost/dataset/internal/chunk"
	"boost/internal/cpu"
)

// eachChunk parses the text of all inputs and shows the chunks, by several goroutines and in
// any order, until one of the calls returns false.
func (s *Reader) eachChunk(ctx context.Context, show func(*textChunk) bool) error {
	workers := s.workers()
	jobs := make(chan cutText)
	free := make(chan []byte, workers+2)
	for range workers + 2 {
		free <- nil
	}
	known := s.knownFeatures()
	var failure error // what ended the input early
	var stop atomic.Bool
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		c := &cutter{Reader: s, jobs: jobs, free: free, stop: &stop}
		failure = c.cutAll(groupCtx)
		return groupCtx.Err()
	})
	for range workers {
		group.Go(func() error {
			p := &parser{Options: s.Options, known: known}
			for j := range jobs {
				ch := p.parse(j.text)
				ch.index, ch.file = j.index, j.file
				if !show(ch) {
					stop.Store(true)
				}
				free <- j.text
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return failure
}

// workers returns how many goroutines parse.
func (s *Reader) workers() int {
	threads := s.Threads
	if threads == 0 {
		threads = cpu.Threads()
	}
	size := int64(0)
	for _, in := range s.inputs {
		if in.Size == 0 {
			return threads
		}
		size += in.Size
	}
	// Compression makes a table about a quarter to a tenth of its size.
	return int(min(int64(threads), 1+10*size/int64(s.ChunkSize)))
}

// cutText is a chunk's text on its way to a worker.
type cutText struct {
	text        []byte
	index, file int
}

// cutter cuts the text of the inputs into chunks of whole lines.
type cutter struct {
	*Reader
	jobs chan<- cutText
	free chan []byte
	stop *atomic.Bool
	next int
}

func (c *cutter) cutAll(ctx context.Context) error {
	for file := range c.inputs {
		stream, err := c.StreamOf(&c.inputs[file], FormatName)
		if err != nil {
			return err
		}
		if start, _ := stream.Reader.Peek(len(chunk.ByteOrderMark)); string(start) == chunk.ByteOrderMark {
			_, _ = stream.Reader.Discard(len(chunk.ByteOrderMark))
		}
		err = c.cut(ctx, stream, file)
		stream.Close()
		if err != nil || c.stop.Load() || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// cut sends the chunks of one input.
func (c *cutter) cut(ctx context.Context, stream *chunk.Stream, file int) error {
	var carry []byte // the beginning of the next chunk
	for !c.stop.Load() {
		var buffer []byte
		select {
		case buffer = <-c.free:
		case <-ctx.Done():
			return nil
		}
		// One byte more than is read, for the line feed that the last line may lack. A
		// buffer that has grown before is not used in full: chunks must not depend on which
		// buffer was free.
		size := max(c.ChunkSize, 2*len(carry)) + 1
		if cap(buffer) < size {
			buffer = make([]byte, size)
		}
		buffer = buffer[:size]
		n := copy(buffer, carry)
		more, err := chunk.ReadFull(stream.Reader, buffer[n:len(buffer)-1])
		n += more
		if err != nil && err != io.EOF {
			return stream.Failure(err)
		}
		end := bytes.LastIndexByte(buffer[:n], '\n') + 1
		if err == io.EOF && end < n {
			buffer[n] = '\n'
			end = n + 1
		}
		carry = append(carry[:0], buffer[end:max(end, n)]...)
		if len(carry) >= chunk.LongestRecord {
			return chunk.Errorf("%s: a line is longer than 64 MiB; is this a LibSVM file?", stream.Name)
		}
		if end == 0 {
			c.free <- buffer
		} else {
			c.jobs <- cutText{text: buffer[:end], index: c.next, file: file}
			c.next++
		}
		if err == io.EOF {
			return nil
		}
	}
	return nil
}
