package recordlog

import (
	"encoding/binary"
	"fmt"
)

// Position is how far a log has come. It grows with every record, and a compaction keeps it: a log that is
// behind a Position that it had has lost records.
type Position struct {
	Generation uint64 // the log's number
	Name       uint64 // of its file
	Next       uint64 // sequence number after that of the last record
}

const positionSize = 24

// Reaches reports whether a log that is at p has all that it had at q. The zero value is before everything.
func (p Position) Reaches(q Position) bool {
	return p.Next >= q.Next && (p.Generation > q.Generation || p.Generation == q.Generation && p.Name == q.Name)
}

// Encode returns 24 bytes: generation, name and next.
func (p Position) Encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, p.Generation)
	b = binary.LittleEndian.AppendUint64(b, p.Name)
	return binary.LittleEndian.AppendUint64(b, p.Next)
}

// DecodePosition reads what Encode returns; false if that cannot be.
func DecodePosition(b []byte) (Position, bool) {
	if len(b) != positionSize {
		return Position{}, false
	}
	return Position{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])}, true
}

// Position returns where the log was when it was synced last; the zero value if that was before it was opened.
func (l *Log) Position() Position {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.safe
}

// position is where the view is. The caller holds mutex, or nothing else can change the view.
func (v *view) position() Position { return Position{v.gen, v.scan.id, v.scan.next} }

// Empty reports whether no record was ever written.
func (v *view) Empty() bool {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	return v.scan.next == 1
}

// Reaches is the damage of a log that is behind a position that it had; nil if it is not.
func (v *view) Reaches(q Position) error {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	p := v.position()
	switch {
	case p.Reaches(q):
		return nil
	case p.Next >= q.Next:
		return v.scan.damage(0, fmt.Sprintf("this is file %016x of generation %d, and file %016x of generation %d was here", p.Name, p.Generation, q.Name, q.Generation))
	}
	return v.scan.damage(v.scan.end, fmt.Sprintf("the log ends before record %d, and all before record %d were on the disk", p.Next, q.Next))
}
