package chunk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Stream is the content of an input, read from its start and decompressed.
type Stream struct {
	Name   string
	Reader *bufio.Reader
	file   io.Closer
	Packed string // "gzip", "zstd" or "" for an input that is not compressed
	raw    *watched
	pump   *pump // nil for an input that is not compressed
}

// Stream opens an input, or returns what was opened to look at its beginning.
func (in *Input) Stream(formats []*Format) (*Stream, error) {
	if s := in.Opened; s != nil {
		in.Opened = nil
		return s, nil
	}
	file, err := in.Open()
	if err != nil {
		return nil, err
	}
	raw := &watched{Reader: file, in: in}
	if f, ok := file.(*os.File); ok && in.Spool == nil {
		raw.stat = f.Stat
	}
	s := &Stream{Name: in.Name, file: file, raw: raw, Reader: bufio.NewReaderSize(raw, streamBuffer)}
	start, err := s.peek(4)
	if err == nil {
		err = s.decompress(start)
	}
	if err == nil {
		start, err = s.peek(longestMagic)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if err := refuseForeign(in.Name, start, formats); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

const (
	streamBuffer = 64 << 10
	longestMagic = 16
)

// peek returns the next n bytes, fewer at the end, without reading past them.
func (s *Stream) peek(n int) ([]byte, error) {
	start, err := s.Reader.Peek(n)
	if err != nil && err != io.EOF {
		return nil, s.Failure(err)
	}
	return start, nil
}

// SkipByteOrderMark goes past the byte order marks that the content begins with, and returns their length.
func (s *Stream) SkipByteOrderMark() (n int) {
	for {
		if start, _ := s.Reader.Peek(len(ByteOrderMark)); string(start) != ByteOrderMark {
			return n
		}
		skipped, _ := s.Reader.Discard(len(ByteOrderMark))
		n += skipped
	}
}

// Section makes the stream that of the bytes of its file from up to before to. The file is not compressed.
func (s *Stream) Section(from, to int64) error {
	if _, err := s.file.(io.Seeker).Seek(from, io.SeekStart); err != nil {
		return s.Failure(err)
	}
	s.raw.n.Store(from)
	s.raw.to = to
	s.Reader.Reset(s.raw)
	return nil
}

// decompress puts a decompressor before the reader if start is the magic of one.
func (s *Stream) decompress(start []byte) error {
	var unpacked io.Reader
	release := func() {}
	switch {
	case bytes.HasPrefix(start, []byte(gzipMagic)):
		s.Packed = "gzip"
		z, err := gzip.NewReader(s.Reader)
		if err != nil {
			return s.Failure(err)
		}
		unpacked = z
	case isZstd(start):
		s.Packed = "zstd"
		z, err := zstd.NewReader(s.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(ZstdWindow))
		if err != nil {
			return s.Failure(err)
		}
		unpacked, release = z, z.Close
	default:
		return nil
	}
	s.pump = newPump(unpacked, s.raw, func() {
		release()
		s.file.Close()
	})
	s.Reader = bufio.NewReaderSize(s.pump, streamBuffer)
	return nil
}

// ZstdWindow is the memory that a zstd file may ask for: what zstd --long writes.
const ZstdWindow = 128 << 20

const gzipMagic = "\x1f\x8b"

// isZstd knows a zstd frame, and a skippable frame, with which parallel compressors begin.
func isZstd(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")) ||
		len(start) == 4 && start[0]&0xf0 == 0x50 && string(start[1:]) == "\x2a\x4d\x18"
}

func (s *Stream) Close() {
	if s.pump == nil {
		s.file.Close()
		return
	}
	s.pump.close(s.raw.in.Spool == nil)
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
