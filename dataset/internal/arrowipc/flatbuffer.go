package arrowipc

import "encoding/binary"

// flatTable reads one table of a flatbuffer, in which Arrow writes its metadata:
//
//	table    int32: distance back to the vtable; then the fields
//	vtable   uint16: its size; uint16: the table's; per field a uint16: where it lies in the table, 0 if absent
//	offset   uint32: distance forward to a table, vector or text
//	vector   uint32: length; the elements
//
// Everything is checked against the buffer; an absent or impossible field reads as its
// default. A table without buffer has no fields.
type flatTable struct {
	b      []byte
	at     int // of the table
	fields []byte
	budget *int // tables that may still be visited, as offsets may form a web
}

// flatBudget bounds the tables that one message's metadata can make the reader visit.
const flatBudget = 4 << 20

// flatRoot returns the root table of a buffer.
func flatRoot(b []byte) flatTable {
	budget := flatBudget
	if len(b) < 4 {
		return flatTable{}
	}
	return flatTable{b: b, budget: &budget}.tableAt(int64(binary.LittleEndian.Uint32(b)))
}

func (t flatTable) ok() bool { return t.b != nil }

// tableAt opens the table at an index of the buffer.
func (t flatTable) tableAt(at int64) flatTable {
	if *t.budget--; *t.budget < 0 || at < 0 || at+4 > int64(len(t.b)) {
		return flatTable{}
	}
	vtable := at - int64(int32(binary.LittleEndian.Uint32(t.b[at:])))
	if vtable < 0 || vtable+4 > int64(len(t.b)) {
		return flatTable{}
	}
	size := int64(binary.LittleEndian.Uint16(t.b[vtable:]))
	if size < 4 || vtable+size > int64(len(t.b)) {
		return flatTable{}
	}
	return flatTable{b: t.b, at: int(at), fields: t.b[vtable+4 : vtable+size], budget: t.budget}
}

// field returns the bytes from a field on, at least size of them, or nil.
func (t flatTable) field(id, size int) []byte {
	if 2*id+2 > len(t.fields) {
		return nil
	}
	offset := int(binary.LittleEndian.Uint16(t.fields[2*id:]))
	if offset == 0 || t.at+offset+size > len(t.b) {
		return nil
	}
	return t.b[t.at+offset:]
}

// integer reads a field of 1, 2, 4 or 8 bytes.
func (t flatTable) integer(id, size int, absent int64) int64 {
	b := t.field(id, size)
	if b == nil {
		return absent
	}
	switch size {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// target returns where a field's offset leads to, −1 if nowhere.
func (t flatTable) target(id int) int64 {
	b := t.field(id, 4)
	if b == nil {
		return -1
	}
	return int64(len(t.b)-len(b)) + int64(binary.LittleEndian.Uint32(b))
}

func (t flatTable) table(id int) flatTable {
	if at := t.target(id); at >= 0 {
		return t.tableAt(at)
	}
	return flatTable{}
}

// vector returns a field's elements of a size and their number.
func (t flatTable) vector(id, size int) (elements []byte, n int) {
	at := t.target(id)
	if at < 0 || at+4 > int64(len(t.b)) {
		return nil, 0
	}
	length := int64(binary.LittleEndian.Uint32(t.b[at:]))
	if length*int64(size) > int64(len(t.b))-at-4 {
		return nil, 0
	}
	return t.b[at+4 : at+4+length*int64(size)], int(length)
}

func (t flatTable) text(id int) string {
	b, _ := t.vector(id, 1)
	return string(b)
}

// tables calls with each table of a vector of offsets, as long as they are sound.
func (t flatTable) tables(id int, each func(flatTable)) {
	elements, n := t.vector(id, 4)
	first := t.target(id) + 4
	for i := range n {
		at := first + int64(4*i)
		element := t.tableAt(at + int64(binary.LittleEndian.Uint32(elements[4*i:])))
		each(element)
		if !element.ok() {
			return
		}
	}
}
