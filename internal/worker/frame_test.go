package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// prefixOf is the beginning of a frame with a head and a body of so many bytes.
func prefixOf(head uint32, body uint64) []byte {
	prefix := binary.LittleEndian.AppendUint32(nil, 7)
	prefix = binary.LittleEndian.AppendUint32(prefix, head)
	return binary.LittleEndian.AppendUint64(prefix, body)
}

// A frame that claims more than is sent takes memory for what came, not for what it claims.
func TestFrameLiesAboutItsLength(t *testing.T) {
	for _, test := range []struct {
		name string
		sent []byte
		want string
	}{
		{"body", append(prefixOf(2, 1<<36), "{}abc"...), "a frame of 2 and 68719476736 bytes ended before its end: unexpected EOF"},
		{"no body", append(prefixOf(2, 1<<36), "{}"...), "a frame of 2 and 68719476736 bytes ended before its end: unexpected EOF"},
		{"head", append(prefixOf(1<<28, 0), "{"...), "a frame of 268435456 and 0 bytes ended before its end: unexpected EOF"},
		{"too much", prefixOf(2, 1<<36+1), "this is not the protocol"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := readFrame(bytes.NewReader(test.sent))
			runtime.ReadMemStats(&after)
			if f != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
			if test.name != "too much" && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v is not io.ErrUnexpectedEOF", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 80<<20 {
				t.Errorf("%d bytes are allocated for a frame of %d", grown, len(test.sent))
			}
		})
	}
}

// A large frame arrives whole, at an address that is a multiple of 8.
func TestLargeFrame(t *testing.T) {
	for _, size := range []int{0, 1, 64<<20 - 1, 64 << 20, 64<<20 + 13} {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(i % 251)
		}
		f, err := readFrame(io.MultiReader(bytes.NewReader(prefixOf(2, uint64(size))), strings.NewReader("{}"), bytes.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		if f.id != 7 || string(f.head) != "{}" || !bytes.Equal(f.body, body) {
			t.Errorf("a frame of %d bytes is not what was sent: number %d, head %q, %d bytes", size, f.id, f.head, len(f.body))
		}
		if size > 0 && uintptr(unsafe.Pointer(&f.body[0]))%8 != 0 {
			t.Errorf("a body of %d bytes begins at %p", size, &f.body[0])
		}
	}
}
