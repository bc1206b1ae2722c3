package tensorq

import (
	"fmt"
	"hash/crc32"
	"io"
)

// bufferSize is how many bytes of a stream are read at a time, where it is sure that it
// has as many.
const bufferSize = 1 << 16

// source hands out a segment's bytes in order.
type source struct {
	r      io.Reader // nil for a segment in memory
	data   []byte    // bytes not yet taken; of a stream, those that were read
	buffer []byte    // what data lies in, for a stream
	ahead  int64     // bytes of the stream not yet taken that surely belong to the segment
	at     int64     // bytes taken
	sum    uint32    // CRC32C of the bytes taken from a stream
}

// take returns the next n bytes, which are good until the next call.
func (s *source) take(n int) ([]byte, error) {
	if s.r != nil {
		if err := s.fill(n); err != nil {
			return nil, err
		}
	}
	if n > len(s.data) {
		return nil, s.early(uint64(n - len(s.data)))
	}
	b := s.data[:n:n]
	s.data = s.data[n:]
	s.at += int64(n)
	if s.r != nil {
		s.ahead -= int64(n)
		s.sum = crc32.Update(s.sum, castagnoli, b)
	}
	return b, nil
}

// fill reads until data has n bytes or the stream ends, and beyond only what belongs to
// the segment.
func (s *source) fill(n int) error {
	unread := len(s.data)
	if unread >= n {
		return nil
	}
	want := int(min(int64(max(n, bufferSize)), s.ahead))
	if len(s.buffer) < want {
		s.buffer = append(make([]byte, 0, want), s.data...)[:want]
	} else {
		copy(s.buffer, s.data)
	}
	got, err := io.ReadAtLeast(s.r, s.buffer[unread:want], n-unread)
	s.data = s.buffer[:unread+got]
	switch {
	case err == nil, err == io.ErrUnexpectedEOF:
		return nil
	case err == io.EOF:
		if s.at == 0 && unread == 0 {
			return io.EOF
		}
		return nil
	}
	return fmt.Errorf("tensorq: byte %d of a segment: %w", s.at+int64(len(s.data)), err)
}

// early is the error for bytes that are missing at the end.
func (s *source) early(missing uint64) error {
	return ErrFormat{Offset: s.at + int64(len(s.data)), Text: fmt.Sprintf("the segment ends early: %d more bytes expected", missing), Err: io.ErrUnexpectedEOF}
}
