package recordlog

import (
	"encoding/binary"
	"hash/crc32"
)

// A log begins with
//
//	offset size
//	 0     8    "BOOSTLOG"
//	 8     4    version, 1
//	12     4    kind: whose records they are
//	16     8    a random number that names this file
//	24     4    0
//	28     4    CRC32C of the 28 bytes before
const (
	logMagic   = "BOOSTLOG"
	logVersion = 1
	logHeader  = 32
)

// A record follows where the one before ends:
//
//	 0     4    "rec" and 0xf5
//	 4     1    type; 0 is a mark, which has no id, head or payload
//	 5     1    1: removes the record of this type and id, 0: does not
//	 6     2    I, bytes of the id
//	 8     4    H, bytes of the head
//	12     4    P, bytes of the payload
//	16     8    sequence number
//	24     8    bytes of the file that were on the disk before this record was written
//	32     4    CRC32C of id and head
//	36     4    CRC32C of the payload
//	40     4    CRC32C of the file's name, the record's offset and the 40 bytes before
//	44     I    id
//	 …     H    head
//	 …     P    payload
const (
	recordMagic  = 0xf5636572
	recordHeader = 44
	markType     = 0
	flagRemove   = 1
)

// MaxHead is the longest head of a record in bytes.
const MaxHead = 1 << 20

// MaxID is the longest id of a record in bytes.
const MaxID = 1<<16 - 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileHeader is the start of a log.
type fileHeader struct {
	kind uint32
	id   uint64
}

func (h fileHeader) encode() []byte {
	b := make([]byte, logHeader)
	copy(b, logMagic)
	binary.LittleEndian.PutUint32(b[8:], logVersion)
	binary.LittleEndian.PutUint32(b[12:], h.kind)
	binary.LittleEndian.PutUint64(b[16:], h.id)
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

// header is the fixed part of a record.
type header struct {
	kind    uint8
	flags   uint8
	idLen   int
	headLen int
	payload int64
	seq     uint64
	synced  int64
	bodyCRC uint32
	dataCRC uint32
}

func (h header) size() int64 {
	return recordHeader + int64(h.idLen) + int64(h.headLen) + h.payload
}

// encode writes h for a record at an offset of the file called id; b has recordHeader bytes.
func (h header) encode(b []byte, id uint64, offset int64) {
	binary.LittleEndian.PutUint32(b, recordMagic)
	b[4], b[5] = h.kind, h.flags
	binary.LittleEndian.PutUint16(b[6:], uint16(h.idLen))
	binary.LittleEndian.PutUint32(b[8:], uint32(h.headLen))
	binary.LittleEndian.PutUint32(b[12:], uint32(h.payload))
	binary.LittleEndian.PutUint64(b[16:], h.seq)
	binary.LittleEndian.PutUint64(b[24:], uint64(h.synced))
	binary.LittleEndian.PutUint32(b[32:], h.bodyCRC)
	binary.LittleEndian.PutUint32(b[36:], h.dataCRC)
	binary.LittleEndian.PutUint32(b[40:], headerSum(b, id, offset))
}

// headerSum ties a record to its place: a copy of it elsewhere, in a payload for
// instance, is none.
func headerSum(b []byte, id uint64, offset int64) uint32 {
	var at [16]byte
	binary.LittleEndian.PutUint64(at[:], id)
	binary.LittleEndian.PutUint64(at[8:], uint64(offset))
	return crc32.Update(crc32.Checksum(at[:], castagnoli), castagnoli, b[:40])
}

// decodeHeader reads the recordHeader bytes at an offset of the file called id; false if
// no record was written there.
func decodeHeader(b []byte, id uint64, offset int64) (header, bool) {
	if binary.LittleEndian.Uint32(b) != recordMagic || binary.LittleEndian.Uint32(b[40:]) != headerSum(b, id, offset) {
		return header{}, false
	}
	return parseHeader(b), true
}

// parseHeader is decodeHeader for bytes that are checked otherwise.
func parseHeader(b []byte) header {
	return header{
		kind:    b[4],
		flags:   b[5],
		idLen:   int(binary.LittleEndian.Uint16(b[6:])),
		headLen: int(binary.LittleEndian.Uint32(b[8:])),
		payload: int64(binary.LittleEndian.Uint32(b[12:])),
		seq:     binary.LittleEndian.Uint64(b[16:]),
		synced:  int64(binary.LittleEndian.Uint64(b[24:])),
		bodyCRC: binary.LittleEndian.Uint32(b[32:]),
		dataCRC: binary.LittleEndian.Uint32(b[36:]),
	}
}
