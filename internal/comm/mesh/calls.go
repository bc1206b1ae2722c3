package mesh

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"time"

	"boost/internal/comm"
)

// shortBytes is the size of vectors up to which each rank sends the whole of it, in as few steps as possible.
const shortBytes = directBytes

func (m *Mesh) Sum64(ctx context.Context, values []uint64) error {
	return m.reduce(ctx, vectorOf(sum64, values))
}

func (m *Mesh) Sum32(ctx context.Context, values []uint32) error {
	return m.reduce(ctx, vectorOf(sum32, values))
}

func (m *Mesh) Max(ctx context.Context, values []float64) error {
	return m.reduce(ctx, vectorOf(maxFloat, values))
}

func (m *Mesh) Barrier(ctx context.Context) error {
	return m.reduce(ctx, vectorOf(barrier, m.token[:]))
}

func (m *Mesh) SumParts64(ctx context.Context, values []uint64, parts []comm.Part, wait func(int)) error {
	if wait != nil {
		wait(0) // which is not the time of a call
	}
	began := time.Now()
	if err := m.begin(ctx, signature{sumParts64, m.partsSum(parts), uint64(len(values))}); err != nil {
		return err
	}
	defer m.end(began)
	m.parts = m.parts[:0]
	width := sumParts64.width()
	for _, p := range parts {
		m.parts = append(m.parts, comm.Part{From: p.From * width, To: p.To * width})
	}
	v := vectorOf(sumParts64, values)
	m.tail = append(m.tail[:0], v.data[m.parts[len(m.parts)-1].To:]...)
	return m.scatter(v, m.tail, wait)
}

// partsSum returns a checksum of the parts.
func (m *Mesh) partsSum(parts []comm.Part) (sum uint32) {
	words := m.head[:16] // no frame is read yet
	for _, p := range parts {
		binary.LittleEndian.PutUint64(words, uint64(p.From))
		binary.LittleEndian.PutUint64(words[8:], uint64(p.To))
		sum = crc32.Update(sum, castagnoli, words)
	}
	return sum
}

// reduce combines the values of all ranks at all ranks.
func (m *Mesh) reduce(ctx context.Context, v vector) error {
	began := time.Now()
	values := len(v.data) / v.kind.width()
	if err := m.begin(ctx, signature{kind: v.kind, total: uint64(values)}); err != nil {
		return err
	}
	defer m.end(began)
	if len(v.data) <= shortBytes {
		return m.double(v)
	}
	m.parts = m.parts[:0]
	for r := range m.Size() {
		width := v.kind.width()
		m.parts = append(m.parts, comm.Part{From: values * r / m.Size() * width, To: values * (r + 1) / m.Size() * width})
	}
	if err := m.scatter(v, nil, nil); err != nil {
		return err
	}
	return m.spread(v)
}

// part returns the bytes of v in m.parts[i].
func (m *Mesh) part(v vector, i int) []byte { return v.data[m.parts[i].From:m.parts[i].To] }

// scatter gives each rank its part of the combined values: all send it to that rank. What is behind the parts, of which tail is a copy,
// is combined at all ranks. The parts of a chunk are there when wait, if there is one, has returned for it.
func (m *Mesh) scatter(v vector, tail []byte, wait func(chunk int)) error {
	spans := m.spans[:0]
	chunks := len(m.parts) / m.Size()
	for c := range chunks {
		m.others(func(p *peer) { spans = append(spans, span{p, m.part(v, c*m.Size()+p.rank), c}) })
	}
	m.others(func(p *peer) { spans = append(spans, span{p, tail, chunks - 1}) })
	err := m.push(v, spans, wait)
	for c := range chunks {
		if wait != nil {
			m.sleeps = c < chunks-1
			wait(c)
		}
		m.before(func(p *peer) {
			if err == nil {
				err = m.pull(p, m.part(v, c*m.Size()+m.rank), true)
			}
		})
	}
	m.before(func(p *peer) {
		if err == nil {
			err = m.pull(p, v.data[len(v.data)-len(tail):], true)
		}
	})
	return m.pushed(err)
}

// spread gives each rank's part of the values to all.
func (m *Mesh) spread(v vector) error {
	err := m.push(v, m.toAll(m.part(v, m.rank)), nil)
	m.before(func(p *peer) {
		if err == nil {
			err = m.pull(p, m.part(v, p.rank), false)
		}
	})
	return m.pushed(err)
}

// toAll returns the spans of bytes that go to all.
func (m *Mesh) toAll(data []byte) []span {
	spans := m.spans[:0]
	m.others(func(p *peer) { spans = append(spans, span{peer: p, data: data}) })
	return spans
}

// before calls f for all other ranks in the order in which others of those ranks comes to this one.
func (m *Mesh) before(f func(p *peer)) {
	for i := m.Size() - 1; i > 0; i-- {
		f(m.peers[(m.rank+i)%m.Size()])
	}
}

// double combines short vectors in log2(n) steps: after step i, each rank has the values of 2^i ranks. The ranks above the
// largest power of two give theirs to one below first, and get the result from it at last.
func (m *Mesh) double(v vector) error {
	power := 1 << (bits.Len(uint(m.Size())) - 1)
	if m.rank >= power {
		if err := m.give(v, m.rank-power); err != nil {
			return err
		}
		return m.pull(m.peers[m.rank-power], v.data, false)
	}
	above := m.rank+power < m.Size()
	if above {
		if err := m.pull(m.peers[m.rank+power], v.data, true); err != nil {
			return err
		}
	}
	for step := 1; step < power; step <<= 1 {
		if err := m.give(v, m.rank^step); err != nil {
			return err
		}
		if err := m.pull(m.peers[m.rank^step], v.data, true); err != nil {
			return err
		}
	}
	if above {
		return m.give(v, m.rank+power)
	}
	return nil
}

// give sends a short vector to a rank.
func (m *Mesh) give(v vector, rank int) error {
	return m.push(v, append(m.spans[:0], span{peer: m.peers[rank], data: v.data}), nil)
}

// Gather takes up to 1 GiB of each rank.
func (m *Mesh) Gather(ctx context.Context, mine []byte) ([][]byte, error) {
	began := time.Now()
	if err := m.begin(ctx, signature{kind: gatherBytes}); err != nil {
		return nil, err
	}
	defer m.end(began)
	if err := m.checkLength(mine); err != nil {
		return nil, err
	}
	err := m.push(vector{gatherBytes, mine}, m.toAll(mine), nil)
	all := make([][]byte, m.Size())
	all[m.rank] = bytes.Clone(mine)
	m.before(func(p *peer) {
		if err == nil {
			all[p.rank], err = m.pullBytes(p)
		}
	})
	if err = m.pushed(err); err != nil {
		return nil, err
	}
	return all, nil
}

// Broadcast takes up to 1 GiB. They go down a binomial tree: in step i, the 2^i ranks that have the data give it to as many others.
func (m *Mesh) Broadcast(ctx context.Context, root int, data []byte) ([]byte, error) {
	began := time.Now()
	if err := m.begin(ctx, signature{kind: broadcastBytes, detail: uint32(root)}); err != nil {
		return nil, err
	}
	defer m.end(began)
	n := m.Size()
	place := (m.rank - root + n) % n // in the tree
	step := 1 << bits.Len(uint(place))
	if place > 0 {
		var err error
		if data, err = m.pullBytes(m.peers[(place-step/2+root)%n]); err != nil {
			return nil, err
		}
	} else if err := m.checkLength(data); err != nil {
		return nil, err
	}
	spans := m.spans[:0]
	for ; place+step < n; step *= 2 {
		spans = append(spans, span{peer: m.peers[(place+step+root)%n], data: data})
	}
	if err := m.pushed(m.push(vector{broadcastBytes, data}, spans, nil)); err != nil {
		return nil, err
	}
	return data, nil
}

// checkLength ends all calls where this rank gives more than a call takes.
func (m *Mesh) checkLength(data []byte) error {
	if len(data) > maxData {
		return m.refuse(&comm.Error{Rank: m.rank, Text: fmt.Sprintf("gives %d bytes, above the %d of a call", len(data), maxData)})
	}
	return nil
}
