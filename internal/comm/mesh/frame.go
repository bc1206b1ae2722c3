package mesh

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"

	"boost/internal/comm"
)

// A frame of a connection for numbers:
//
//	 0  length of the values in their form, 32 bits
//	 4  detail of the call, 32 bits
//	 8  number of the call, from 1, 64 bits
//	16  values in the whole call, or bytes of this rank in Gather and Broadcast, 56 bits
//	23  kind of the call, 5 bits, and form of the values, 3 bits
//	24  CRC-32C of bytes 0 to 23 and the values, without the values under TLS, 32 bits; then 32 bits of 0
//	32  the values
//
// All numbers are little-endian. A receiver knows how many values come; only in Gather and Broadcast the first frame says it.
const (
	headBytes  = 32
	chunkBytes = 256 << 10 // at most, in one frame
	// maxData is how much a rank may give to Gather and Broadcast.
	maxData = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// span is bytes of a vector, and the rank that they go to.
type span struct {
	peer *peer
	data []byte
}

// sender is the goroutine that writes while a call reads.
type sender struct {
	jobs chan struct{} // a job is there
	over chan struct{} // and done
	busy bool

	v     vector
	total uint64
	spans []span

	out    []byte // the head of a frame that is written, and the values if they are few
	narrow []byte // its values in another form
	pair   [2][]byte
	both   net.Buffers // pair
}

// directBytes is how much a call writes to a rank by itself, without the goroutine, in up to two pieces. Such writes do not
// wait for each other in a circle: a rank begins a call after it has read all that it gets in earlier ones, so only pieces of this call
// can be unread, and those fit the buffers of a connection, which hold more than 64 KiB on every system.
const directBytes = 32 << 10

// push begins to write the spans of v, which stay as they are until pushed returns.
func (m *Mesh) push(v vector, spans []span) error {
	m.v, m.total, m.spans = v, uint64(len(v.data)/v.kind.width()), spans
	for _, s := range m.spans {
		if len(s.data) > directBytes {
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

// write writes the spans, in frames. Where the lengths are not known to the receiver, an empty one is a frame too.
func (m *Mesh) write() error {
	for _, s := range m.spans {
		for at := 0; at < len(s.data) || at == 0 && m.v.kind.givesBytes(); at += chunkBytes {
			n, err := m.writeFrame(s.peer, s.data[at:min(at+chunkBytes, len(s.data))])
			m.sent.Add(n)
			if err != nil {
				return m.broken(s.peer, err)
			}
		}
	}
	return nil
}

func (m *Mesh) writeFrame(p *peer, values []byte) (int64, error) {
	form := whole
	if !p.near || m.o.Narrow {
		form = formOf(m.v.kind, values)
	}
	if form != whole {
		if m.narrow == nil {
			m.narrow = make([]byte, chunkBytes)
		}
		values = form.narrow(m.narrow, values)
	}
	head := m.out[:headBytes]
	binary.LittleEndian.PutUint32(head, uint32(len(values)))
	binary.LittleEndian.PutUint32(head[4:], m.signature.detail)
	binary.LittleEndian.PutUint64(head[8:], uint64(m.calls))
	binary.LittleEndian.PutUint64(head[16:], m.total|uint64(m.signature.kind)<<56|uint64(form)<<61)
	binary.LittleEndian.PutUint32(head[24:], m.checksum(head, values))
	if len(values) <= directBytes {
		n, err := p.data.Write(append(head, values...))
		return int64(n), err
	}
	m.pair = [2][]byte{head, values}
	m.both = m.pair[:]
	return m.both.WriteTo(p.data)
}

// checksum returns the CRC of a frame. TLS has better ones of the values.
func (m *Mesh) checksum(head, values []byte) uint32 {
	if m.o.TLS {
		values = nil
	}
	return crc32.Update(crc32.Checksum(head[:24], castagnoli), castagnoli, values)
}

// pull reads values from a rank into dst, in place of what is there, or to combine them with that.
func (m *Mesh) pull(p *peer, dst []byte, combine bool) error {
	for len(dst) > 0 {
		part := dst[:min(len(dst), chunkBytes)]
		form, err := m.readForm(p, len(part))
		if err != nil {
			return err
		}
		into := part
		if combine || form != whole {
			into = m.in[:form.bytes(len(part))]
		}
		if err := m.readValues(p, into); err != nil {
			return err
		}
		switch {
		case form != whole:
			form.widen(part, into, combine)
		case combine:
			m.signature.kind.combine(part, into)
		}
		dst = dst[len(part):]
	}
	return nil
}

// pullBytes reads what a rank gives to Gather or Broadcast.
func (m *Mesh) pullBytes(p *peer) ([]byte, error) {
	n, total, _, err := m.readHead(p)
	if err == nil && (total > maxData || n != int(min(total, chunkBytes))) {
		err = m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("gives %d bytes, of at most %d, and sent %d first", total, maxData, n)})
	}
	if err != nil {
		return nil, err
	}
	data := make([]byte, total)
	if err := m.readValues(p, data[:n]); err != nil {
		return nil, err
	}
	return data, m.pull(p, data[n:], false)
}

// readForm reads the head of a frame whose values take so many bytes as they are, and returns their form.
func (m *Mesh) readForm(p *peer, bytes int) (form, error) {
	n, _, form, err := m.readHead(p)
	if err == nil && n != form.bytes(bytes) {
		err = m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("sent %d bytes where %d were expected", n, form.bytes(bytes))})
	}
	return form, err
}

// readHead reads the head of a frame: how many bytes of values follow, the total, and the values' form. It belongs to this call.
func (m *Mesh) readHead(p *peer) (n int, total uint64, as form, err error) {
	got := p.wait(m.head[:])
	rest, err := io.ReadFull(p.data, m.head[got:])
	got += rest
	m.received.Add(int64(got))
	if err != nil {
		return 0, 0, whole, m.broken(p, err)
	}
	call, word := binary.LittleEndian.Uint64(m.head[8:]), binary.LittleEndian.Uint64(m.head[16:])
	total = word & (1<<56 - 1)
	as = form(word >> 61)
	its := signature{kind: kind(word >> 56 & 31), detail: binary.LittleEndian.Uint32(m.head[4:]), total: total}
	if its.kind.givesBytes() {
		its.total = 0
	}
	switch {
	case call != uint64(m.calls):
		return 0, 0, whole, m.refuse(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("makes call %d where rank %d makes call %d", call, m.rank, m.calls)})
	case its != m.signature, as >= forms, as != whole && its.kind != sum64 && its.kind != sumParts64:
		return 0, 0, whole, m.refuse(m.differ(p, its))
	}
	return int(binary.LittleEndian.Uint32(m.head[:])), total, as, nil
}

// readValues reads the values of a frame.
func (m *Mesh) readValues(p *peer, dst []byte) error {
	got, err := io.ReadFull(p.data, dst)
	m.received.Add(int64(got))
	if err != nil {
		return m.broken(p, err)
	}
	if m.checksum(m.head[:], dst) != binary.LittleEndian.Uint32(m.head[24:]) {
		return m.refuse(&comm.Error{Rank: p.rank, Text: "sent values that were damaged on their way: their checksum differs"})
	}
	return nil
}

// refuse ends all calls because of what a rank sent.
func (m *Mesh) refuse(blame *comm.Error) error {
	m.fail(blame, nil)
	<-m.failed
	return m.err
}
