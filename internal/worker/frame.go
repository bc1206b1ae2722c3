package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// A frame is a message:
//
//	0   4  number of the request, little-endian; an answer has that of its request
//	4   4  H, length of the head
//	8   8  B, length of the body
//	16  H  head, a JSON object
//	…   B  body, raw bytes
type frame struct {
	id   uint32
	head []byte
	body []byte // begins at an address that is a multiple of 8
}

const (
	prefixBytes = 16
	mostHead    = 1 << 28
	mostBody    = 1 << 36
)

// readFrame returns the next frame, io.EOF where none begins.
func readFrame(r io.Reader) (*frame, error) {
	var prefix [prefixBytes]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, err
	}
	f := &frame{id: binary.LittleEndian.Uint32(prefix[:])}
	head, body := binary.LittleEndian.Uint32(prefix[4:]), binary.LittleEndian.Uint64(prefix[8:])
	if head > mostHead || body > mostBody {
		return nil, fmt.Errorf("a frame of %d and %d bytes: this is not the protocol of boost worker", head, body)
	}
	var err error
	if f.head, err = readBytes(r, int(head)); err == nil {
		f.body, err = readBytes(r, int(body))
	}
	if err != nil {
		return nil, fmt.Errorf("a frame of %d and %d bytes ended before its end: %w", head, body, err)
	}
	return f, nil
}

// readBytes reads n bytes to an address that is a multiple of 8. The memory grows as bytes come: a frame that claims more
// than is sent takes firstBytes at most, or growth times what came.
func readBytes(r io.Reader, n int) ([]byte, error) {
	const (
		firstBytes = 64 << 20
		growth     = 32 // so that little of a large frame is copied
	)
	size := n
	for size > firstBytes {
		size = (size + growth - 1) / growth
	}
	data, at := alignedBytes(size), 0
	for {
		read, err := io.ReadFull(r, data[at:])
		at += read
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, io.ErrUnexpectedEOF // io.EOF is where no frame begins
		}
		if err != nil || at == n {
			return data, err
		}
		more := alignedBytes(min(n, growth*at))
		copy(more, data)
		data = more
	}
}

// alignedBytes returns n bytes at an address that is a multiple of 8.
func alignedBytes(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// bytesOf returns the memory of numbers.
func bytesOf[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// valuesOf returns bytes, which begin at a multiple of their size, as numbers.
func valuesOf[T any](data []byte) []T {
	var one T
	if len(data) < int(unsafe.Sizeof(one)) {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(one)))
}

// frameWriter writes frames, one at a time.
type frameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// write sends a frame; head is made JSON.
func (w *frameWriter) write(id uint32, head any, body []byte) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	const together = 1 << 16 // up to here one write is cheaper than two
	w.buf = binary.LittleEndian.AppendUint32(w.buf[:0], id)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(text)))
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(len(body)))
	w.buf = append(w.buf, text...)
	if len(body) <= together {
		w.buf = append(w.buf, body...)
		body = nil
	}
	if _, err := w.w.Write(w.buf); err != nil || body == nil {
		return err
	}
	_, err = w.w.Write(body)
	return err
}
