package mesh

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"boost/internal/testenv"
)

// frameOf returns a frame with a checksum that fits.
func frameOf(length, detail uint32, call uint64, kind kind, total uint64, values []byte) []byte {
	frame := binary.LittleEndian.AppendUint32(nil, length)
	frame = binary.LittleEndian.AppendUint32(frame, detail)
	frame = binary.LittleEndian.AppendUint64(frame, call)
	frame = binary.LittleEndian.AppendUint64(frame, total|uint64(kind)<<56)
	frame = binary.LittleEndian.AppendUint32(frame, (&Mesh{}).checksum(frame, values))
	frame = binary.LittleEndian.AppendUint32(frame, 0)
	return append(frame, values...)
}

// A frame that does not belong to the call ends it, and memory is made for none of a wrong size.
func TestWrongFrames(t *testing.T) {
	testenv.Unraced(t)
	values := bytes.Repeat([]byte{7}, 16)
	damaged := frameOf(16, 0, 1, sum64, 2, values)
	damaged[len(damaged)-1] ^= 4
	sum := func(m *Mesh) error { return m.Sum64(context.Background(), make([]uint64, 2)) }
	gather := func(m *Mesh) error { _, err := m.Gather(context.Background(), nil); return err }
	for _, test := range []struct {
		name  string
		frame []byte
		call  func(m *Mesh) error
		words string // of the error, "" for none
	}{
		{"right sum", frameOf(16, 0, 1, sum64, 2, values), sum, ""},
		{"right gather", frameOf(16, 0, 1, gatherBytes, 16, values), gather, ""},
		{"damaged", damaged, sum, "damaged on their way"},
		{"other kind", frameOf(16, 0, 1, maxFloat, 2, values), sum, "calls Max of 2 values where rank 0 calls Sum64 of 2 values"},
		{"unknown kind", frameOf(16, 0, 1, 29, 2, values), sum, "calls an unknown call"},
		{"other total", frameOf(24, 0, 1, sum64, 3, values), sum, "calls Sum64 of 3 values"},
		{"other call", frameOf(16, 0, 2, sum64, 2, values), sum, "makes call 2 where rank 0 makes call 1"},
		{"too long", frameOf(1<<31, 0, 1, sum64, 2, values), sum, "sent 2147483648 bytes where 16 were expected"},
		{"too short", frameOf(8, 0, 1, sum64, 2, values[:8]), sum, "sent 8 bytes where 16 were expected"},
		{"much data", frameOf(chunkBytes, 0, 1, gatherBytes, 1<<40, values), gather, "gives 1099511627776 bytes"},
		{"other first frame", frameOf(1<<31, 0, 1, gatherBytes, 16, values), gather, "sent 2147483648 first"},
		{"end", damaged[:20], sum, "left: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMesh(0, []string{"", ""}, Options{Token: "-", Silence: time.Minute})
			m.running.Go(m.send)
			mine, its := net.Pipe()
			m.peers[1].data = mine
			go func() {
				go func() { _, _ = its.Read(make([]byte, 1000)) }() // what this rank sends
				_, _ = its.Write(test.frame)
				if test.name == "end" {
					_ = its.Close()
				}
			}()
			err := test.call(m)
			if test.words == "" && err != nil || test.words != "" && (err == nil || !strings.Contains(err.Error(), test.words)) {
				t.Errorf("the call ends with %v, want %q", err, test.words)
			}
			_, _ = m.Close(), its.Close()
		})
	}
}

// A message that no rank sends ends the calls.
func TestWrongMessages(t *testing.T) {
	for _, test := range []struct{ name, message, words string }{
		{"unknown", "\x09\x00\x00", "type 9 with 0 bytes"},
		{"short beat", "\x01\x02\x00ab", "type 1 with 2 bytes"},
		{"long", "\x01\xff\xff", "a message of 65535 bytes came"},
		{"short failure", "\x02\x01\x00a", "type 2 with 1 bytes"},
		{"failure of no rank", "\x02\x0b\x00\x01\x00\x00\x00\x00\x00\x00\x00abc", "type 2 with 11 bytes"},
		{"failure", "\x02\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00disk full", "rank 1: disk full"},
		{"end", "\x01\x02", "left: its connection ended (unexpected EOF)"},
	} {
		m := newMesh(0, []string{"", ""}, Options{Silence: time.Minute})
		mine, its := net.Pipe()
		m.peers[1].control = mine
		go func() {
			_, _ = its.Write([]byte(test.message))
			_ = its.Close()
		}()
		m.listen(m.peers[1])
		select {
		case <-m.failed:
			if !strings.Contains(m.err.Error(), test.words) {
				t.Errorf("%s: %v, want %q", test.name, m.err, test.words)
			}
		default:
			t.Errorf("%s: nothing fails", test.name)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"short", "short"}, {"exactly 10", "exactly 10"}, {"more than 10", "more th…"}, {"äöüäöüäöü", "äöü…"},
	} {
		if got := shorten(test.text, 10); got != test.want || len(got) > 10 {
			t.Errorf("%q is shortened to %q, want %q", test.text, got, test.want)
		}
	}
}

// FuzzHello reads any bytes as a hello and a message without a panic.
func FuzzHello(f *testing.F) {
	j := &joining{Mesh: newMesh(1, []string{"", ""}, Options{Run: "a"})}
	f.Add(j.hello(0, forData))
	f.Add([]byte("boostRNK\x01\x00\x02\x00{}"))
	f.Add([]byte("\x02\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00disk full"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, raw, err := readHello(bytes.NewReader(data))
		if err == nil && (!bytes.HasPrefix(data, raw) || j.differs(h) == nil && h.Size != 2) {
			t.Errorf("%+v of %q", h, raw)
		}
		if _, message, err := readMessage(bytes.NewReader(data), make([]byte, 3+maxMessage)); err == nil && len(message) > maxMessage {
			t.Errorf("a message of %d bytes", len(message))
		}
		if verdict, err := readVerdict(bytes.NewReader(data)); err == nil && len(verdict) == 0 {
			t.Error("an empty verdict")
		}
	})
}
