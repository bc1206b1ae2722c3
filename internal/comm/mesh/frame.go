package mesh

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"boost/internal/comm"
)

// A frame of a connection for numbers:
//
//	 0  length of the values, 32 bits
//	 4  detail of the call, 32 bits
//	 8  number of the call, from 1, 64 bits
//	16  values in the whole call, or bytes of this rank in Gather and Broadcast, 56 bits
//	23  kind of the call, 8 bits
//	24  CRC-32C of bytes 0 to 23 and the values, 32 bits; then 32 bits of 0
//	32  the values
//
// All numbers are little-endian. A receiver knows how many values come; only in Gather and Broadcast the first frame says it.
const (
	headBytes  = 32
	chunkBytes = 128 << 10 // at most, in one frame
	frameBytes = headBytes + chunkBytes

	// maxData is how much a rank may give to Gather and Broadcast.
	maxData = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// span is a part of a vector and the rank that it goes to.
type span struct {
	peer   *peer
	lo, hi int
}

// sender is the goroutine that writes while a call reads.
type sender struct {
	jobs chan struct{} // a job is there
	over chan struct{} // and done
	busy bool

	v     vector
	total uint64
	spans []span
	out   []byte // a frame that is written
}

// directBytes is how much a call writes to a rank without the goroutine. It cannot block for ever: a rank begins a call after
// it has read all of the calls before, so what it has not read is of this call, and that fits the buffers of a connection.
const directBytes = 8 << 10

// push begins to write the spans of v, which stay as they are until pushed returns.
func (m *Mesh) push(v vector, total uint64, spans []span) error {
	m.v, m.total, m.spans = v, total, spans
	for _, s := range m.spans {
		if (s.hi-s.lo)*m.v.width() > directBytes {
			m.busy = true
			m.jobs <- struct{}{}
			return nil
		}
	}
	return m.write()
}

// pushed waits until all is written. err is what the call met meanwhile.
func (m *Mesh) pushed(err error) error {
	if m.busy {
		<-m.over
		m.busy = false
	}
	if err == nil {
		select {
		case <-m.failed:
			return m.err
		default:
		}
	}
	return err
}

// send works for the calls until Close.
func (m *Mesh) send() {
	for range m.jobs {
		_ = m.write() // pushed sees that the mesh has failed
		m.over <- struct{}{}
	}
}

// write writes the spans, in frames.
func (m *Mesh) write() error {
	step := chunkBytes / m.v.width()
	for _, s := range m.spans {
		for lo := s.lo; lo == s.lo || lo < s.hi; lo += step {
			hi := min(lo+step, s.hi)
			if lo == hi && !m.v.kind.givesBytes() {
				break
			}
			frame := m.out[:headBytes+(hi-lo)*m.v.width()]
			m.v.encode(frame[headBytes:], lo, hi)
			binary.LittleEndian.PutUint32(frame, uint32(len(frame)-headBytes))
			binary.LittleEndian.PutUint32(frame[4:], m.signature.detail)
			binary.LittleEndian.PutUint64(frame[8:], uint64(m.calls))
			binary.LittleEndian.PutUint64(frame[16:], m.total|uint64(m.signature.kind)<<56)
			binary.LittleEndian.PutUint32(frame[24:], checksum(frame))
			n, err := s.peer.data.Write(frame)
			m.sent.Add(int64(n))
			if err != nil {
				return m.broken(s.peer, err)
			}
		}
	}
	return nil
}

func checksum(frame []byte) uint32 {
	return crc32.Update(crc32.Checksum(frame[:24], castagnoli), castagnoli, frame[headBytes:])
}

// pull reads values lo to hi of v from a rank, and gives each frame to put.
func (m *Mesh) pull(p *peer, v vector, lo, hi int, put func(v vector, src []byte, lo, hi int)) error {
	step := chunkBytes / v.width()
	for ; lo < hi; lo += step {
		to := min(lo+step, hi)
		values, _, err := m.readFrame(p, (to-lo)*v.width())
		if err != nil {
			return err
		}
		put(v, values, lo, to)
	}
	return nil
}

// pullBytes reads what a rank gives to Gather or Broadcast.
func (m *Mesh) pullBytes(p *peer) ([]byte, error) {
	values, total, err := m.readFrame(p, -1)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, total)
	for {
		data = append(data, values...)
		if rest := int(total) - len(data); rest == 0 {
			return data, nil
		} else if values, _, err = m.readFrame(p, min(rest, chunkBytes)); err != nil {
			return nil, err
		}
	}
}

// readFrame returns the values of the next frame of a rank, which are n bytes, or as many as its head says if n is -1. They
// are overwritten by the next one.
func (m *Mesh) readFrame(p *peer, n int) (values []byte, total uint64, err error) {
	frame := m.in[:headBytes+max(n, 0)]
	got, err := io.ReadAtLeast(p.data, frame, headBytes)
	m.received.Add(int64(got))
	if err != nil {
		return nil, 0, m.broken(p, err)
	}
	length := binary.LittleEndian.Uint32(frame)
	call := binary.LittleEndian.Uint64(frame[8:])
	total = binary.LittleEndian.Uint64(frame[16:]) & (1<<56 - 1)
	its := signature{kind: kind(frame[23]), detail: binary.LittleEndian.Uint32(frame[4:]), total: total}
	if its.kind.givesBytes() {
		its.total = 0
	}
	switch {
	case call != uint64(m.calls):
		return nil, 0, m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("makes call %d where rank %d makes call %d", call, m.rank, m.calls)})
	case its != m.signature:
		return nil, 0, m.refuse(m.differ(p, its))
	case n < 0 && total > maxData:
		return nil, 0, m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("gives %d bytes, above the %d of a call", total, maxData)})
	case n < 0:
		n = int(min(total, chunkBytes))
	}
	if int(length) != n {
		return nil, 0, m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("sent %d bytes where %d were expected", length, n)})
	}
	frame = m.in[:headBytes+n]
	rest, err := io.ReadFull(p.data, frame[got:])
	m.received.Add(int64(rest))
	if err != nil {
		return nil, 0, m.broken(p, err)
	}
	if checksum(frame) != binary.LittleEndian.Uint32(frame[24:]) {
		return nil, 0, m.refuse(&comm.Error{Rank: p.rank, Text: "sent values that were damaged on their way (their checksum differs)"})
	}
	return frame[headBytes:], total, nil
}

// refuse ends all calls because of what a rank sent.
func (m *Mesh) refuse(blame *comm.Error) error {
	m.fail(blame, nil)
	<-m.failed
	return m.err
}
