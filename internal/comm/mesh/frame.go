package mesh

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"slices"

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
	peer  *peer
	data  []byte
	chunk int // that it is of
}

// sender writes what a call sends, while it reads: a goroutine, or the call itself, between its reads.
type sender struct {
	jobs chan struct{} // a job is there
	over chan struct{} // and done
	busy bool          // the goroutine writes
	own  bool          // the call writes
	some func() bool   // writeSome, made once

	v     vector
	total uint64
	spans []span
	wait  func(chunk int) // until the bytes of a chunk are there; nil for all
	next  int             // the span of the next frame
	at    int             // the byte of it that the frame begins with

	to     *peer  // of the frame that is being written
	left   []byte // of its head, and of its values if they are few
	values []byte // that are left
	out    []byte // the memory of left
	narrow []byte // values in another form
	pair   [2][]byte
	both   net.Buffers // pair
}

// directBytes is how much a call writes to a rank by itself, without the goroutine, in up to two pieces. Such writes do not
// wait for each other in a circle: a rank begins a call after it has read all that it gets in earlier ones, so only pieces of this call
// can be unread, and those fit the buffers of a connection, which hold more than 64 KiB on every system.
const directBytes = 32 << 10

// push begins to write the spans of v, which stay as they are until pushed returns. A span is not looked at before wait, if there is one, returns
// for its chunk.
func (m *Mesh) push(v vector, spans []span, wait func(chunk int)) error {
	m.v, m.total, m.spans, m.wait = v, uint64(len(v.data)/v.kind.width()), spans, wait
	m.next, m.at, m.left, m.values = 0, 0, nil, nil
	long := slices.ContainsFunc(spans, func(s span) bool { return len(s.data) > directBytes })
	switch {
	case wait != nil:
		m.handOver()
	case !long:
		return m.write()
	case !slices.ContainsFunc(spans, func(s span) bool { return !s.peer.spins() }):
		m.own = true
		m.writeSome()
	default:
		m.handOver()
	}
	return nil
}

// handOver has the goroutine write the rest.
func (m *Mesh) handOver() {
	m.own, m.busy = false, true
	m.jobs <- struct{}{}
}

// pushed waits until all is written. err is what the call met meanwhile.
func (m *Mesh) pushed(err error) error {
	if m.own && err == nil { // what is left has room, or its reader is at it
		err = m.write()
	}
	if m.own = false; m.busy {
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

// write writes what is left of the spans.
func (m *Mesh) write() error {
	for m.more() {
		m.pair = [2][]byte{m.left, m.values}
		m.both = slices.DeleteFunc(m.pair[:], func(b []byte) bool { return len(b) == 0 })
		n, err := m.both.WriteTo(m.to.data)
		m.sent.Add(n)
		if m.left, m.values = nil, nil; err != nil {
			return m.broken(m.to, err)
		}
	}
	return nil
}

// writeSome writes what there is room for, and reports whether that was anything.
func (m *Mesh) writeSome() (wrote bool) {
	for m.more() {
		part := &m.left
		if len(m.left) == 0 {
			part = &m.values
		}
		n := m.to.writeNow(*part)
		if n == 0 {
			return wrote
		}
		m.sent.Add(int64(n))
		*part, wrote = (*part)[n:], true
	}
	m.own = false
	return wrote
}

// more reports whether there is anything left to write, and begins the next frame where one is done. Where the lengths are not known to the
// receiver, an empty span is a frame too.
func (m *Mesh) more() bool {
	if len(m.left)+len(m.values) > 0 {
		return true
	}
	for ; m.next < len(m.spans); m.next, m.at = m.next+1, 0 {
		s := m.spans[m.next]
		if m.at < len(s.data) || m.at == 0 && m.v.kind.givesBytes() {
			if m.wait != nil {
				m.wait(s.chunk)
			}
			values := s.data[m.at:min(m.at+chunkBytes, len(s.data))]
			m.at += max(1, len(values))
			m.beginFrame(s.peer, values)
			return true
		}
	}
	return false
}

// beginFrame makes a frame ready to be written.
func (m *Mesh) beginFrame(p *peer, values []byte) {
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
	if m.to, m.left, m.values = p, head, values; len(values) <= directBytes {
		m.left, m.values = append(head, values...), nil
	}
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
	got, err := m.readFull(p, m.head[:])
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

// readFull reads bytes of a rank that may be about as far: it looks for them for a while, and writes meanwhile what the call writes itself,
// before it sleeps.
func (m *Mesh) readFull(p *peer, dst []byte) (int, error) {
	got := 0
	for m.own && got < len(dst) {
		n := p.wait(dst[got:], m.some)
		if got += n; n == 0 && m.own {
			m.handOver()
		}
	}
	for got < len(dst) && !m.sleeps {
		n := p.wait(dst[got:], nil)
		if n == 0 {
			break
		}
		got += n
	}
	rest, err := io.ReadFull(p.data, dst[got:])
	return got + rest, err
}

// readValues reads the values of a frame.
func (m *Mesh) readValues(p *peer, dst []byte) error {
	got, err := m.readFull(p, dst)
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
