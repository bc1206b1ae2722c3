package mesh

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"boost/internal/comm"
)

// A message of a control connection:
//
//	0  type, one byte
//	1  length of what follows, 16 bits
//	3  beat:      number of calls begun, 64 bits; kind of the last one, 32 bits; its detail, 32 bits; its total, 64 bits
//	   failure:   number of calls made, 64 bits; rank to blame, 32 bits; why, as text
//	   leaving:   number of calls made, 64 bits
//	   confirmed: nothing
//
// All numbers are little-endian.
const (
	beat = iota + 1
	failure
	leaving
	confirmed
)

const (
	maxText    = 900
	maxMessage = 1000
	beatBytes  = 24

	leastFailure = 12
)

// tell writes a message. A reader finds out where that fails.
func (p *peer) tell(kind byte, message []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.control == nil || p.mute {
		return
	}
	frame := binary.LittleEndian.AppendUint16([]byte{kind}, uint16(len(message)))
	_ = p.control.SetWriteDeadline(time.Now().Add(time.Second))
	if _, err := p.control.Write(append(frame, message...)); err != nil || kind == confirmed {
		p.mute = true // part of a message may be out
	}
}

// causeOf returns the error that a failure tells of, and how many calls the rank has made that tells.
func causeOf(failure []byte) (calls int64, cause *comm.Error) {
	return int64(binary.LittleEndian.Uint64(failure)), &comm.Error{Rank: int(int32(binary.LittleEndian.Uint32(failure[8:]))), Text: string(failure[12:])}
}

// listen reads the control connection of a rank until it ends.
func (m *Mesh) listen(p *peer) {
	defer p.end.Do(func() { close(p.over) })
	frame := make([]byte, 3+maxMessage)
	for {
		kind, message, err := readMessage(p.control, frame)
		if err != nil {
			if !p.left.Load() {
				m.fail(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("left: its connection ended (%v)", err)}, nil)
			}
			return
		}
		p.heard.Store(int64(time.Since(m.began)))
		switch {
		case kind == beat && len(message) == beatBytes:
			m.compare(p, message)
		case kind == failure && len(message) >= leastFailure:
			m.failAfter(causeOf(message))
		case kind == leaving && len(message) == 8:
			p.left.Store(true)
			m.leave(p, int64(binary.LittleEndian.Uint64(message)))
			p.tell(confirmed, nil)
		case kind == confirmed:
			p.end.Do(func() { close(p.over) })
		default:
			m.fail(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("sent a message of type %d with %d bytes, which no rank sends", kind, len(message))}, nil)
			return
		}
	}
}

func readMessage(r io.Reader, frame []byte) (kind byte, message []byte, err error) {
	if _, err := io.ReadFull(r, frame[:3]); err != nil {
		return 0, nil, err
	}
	n := int(binary.LittleEndian.Uint16(frame[1:]))
	if n > maxMessage {
		return 0, nil, fmt.Errorf("a message of %d bytes came", n)
	}
	message = frame[3 : 3+n]
	_, err = io.ReadFull(r, message)
	return frame[0], message, err
}

// leave notes that a rank makes no more calls.
func (m *Mesh) leave(p *peer, calls int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leaver < 0 || calls < m.leftAfter {
		m.leaver, m.leftAfter = p.rank, calls
	}
	if m.within && calls < m.calls {
		m.failLocked(&comm.Error{Rank: p.rank, Text: "left"}, nil)
	}
}

// beats gives signs of life and looks for those of the others, until Close.
func (m *Mesh) beats() {
	ticks := time.NewTicker(m.o.Silence / 8)
	defer ticks.Stop()
	last := time.Since(m.began)
	for {
		select {
		case <-m.done:
			return
		case <-ticks.C:
		}
		m.mu.Lock()
		message := binary.LittleEndian.AppendUint64(nil, uint64(m.calls))
		message = binary.LittleEndian.AppendUint32(message, uint32(m.signature.kind))
		message = binary.LittleEndian.AppendUint32(message, m.signature.detail)
		message = binary.LittleEndian.AppendUint64(message, m.signature.total)
		m.mu.Unlock()
		m.others(func(p *peer) { p.tell(beat, message) })

		now := time.Since(m.began)
		stopped := now-last > m.o.Silence/2 // this process was: what the others sent meanwhile is not read yet
		last = now
		m.others(func(p *peer) {
			switch heard := time.Duration(p.heard.Load()); {
			case heard == 0 || p.left.Load():
			case stopped:
				p.heard.Store(int64(now))
			case now-heard > m.o.Silence:
				m.fail(&comm.Error{Rank: p.rank, Text: fmt.Sprintf("silent for %v", m.o.Silence)}, nil)
			}
		})
	}
}

// compare finds out whether a rank makes another call than this one, for which both might wait forever.
func (m *Mesh) compare(p *peer, message []byte) {
	its := signature{
		kind:   kind(binary.LittleEndian.Uint32(message[8:])),
		detail: binary.LittleEndian.Uint32(message[12:]),
		total:  binary.LittleEndian.Uint64(message[16:]),
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if int64(binary.LittleEndian.Uint64(message)) == m.calls && its != m.signature {
		m.failLocked(m.differ(p, its), nil)
	}
}

// differ returns the error of a rank that makes another call than this one.
func (m *Mesh) differ(p *peer, its signature) *comm.Error {
	return &comm.Error{Rank: p.rank, Text: fmt.Sprintf("calls %v where rank %d calls %v: %s", its, m.rank, m.signature, comm.Differ)}
}
