package recordlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// nameState is the state of a record's checksum behind the file's name.
func nameState(id uint64) uint32 {
	return ^crc32.Checksum(binary.LittleEndian.AppendUint64(nil, id), castagnoli)
}

// unwind is the state that a checksum was in before b. No two entries of a table have the same first byte, so
// that each step can be taken back.
func unwind(state uint32, b []byte) uint32 {
	for i := len(b) - 1; i >= 0; i-- {
		at := tableByTop[state>>24]
		state = (state^castagnoli[at])<<8 | uint32(at^b[i])
	}
	return state
}

// tableByTop says which entry of the table has a first byte.
var tableByTop = func() (index [256]byte) {
	for i, entry := range castagnoli {
		index[entry>>24] = byte(i)
	}
	return index
}()

// solve returns what the state of name and the low half of a record's offset add up to, from the record's
// first bytes and the high half of its offset.
func solve(b []byte, offset int64) uint32 {
	var high [8]byte
	binary.LittleEndian.PutUint32(high[4:], uint32(offset>>32))
	return unwind(unwind(^binary.LittleEndian.Uint32(b[40:]), b[:40]), high[:])
}

// placeOf returns the offset that a record was written at, in the file whose name has a state, if its first
// bytes are whole: the one within 4 GiB of where they are now for which the checksum is right.
func placeOf(b []byte, at int64, name uint32) int64 {
	return at&^0xffffffff | int64(solve(b, at)^name)
}

// findRecord returns where the next record may begin, from a place on; size if there is none.
func findRecord(f io.ReaderAt, from, size int64) (int64, error) {
	var magic [4]byte
	binary.LittleEndian.PutUint32(magic[:], recordMagic)
	chunk := make([]byte, max(0, min(scanBuffer, size-from)))
	for at := from; at < size; {
		n, err := f.ReadAt(chunk[:min(int64(len(chunk)), size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.Index(chunk[:n], magic[:]); i >= 0 {
			if at += int64(i); size-at < recordHeader {
				return size, nil
			}
			return at, nil
		}
		if n < len(chunk) || at+int64(n) >= size {
			break
		}
		at += int64(n - recordHeader + 1)
	}
	return size, nil
}

// found is a whole record, where it is in a file.
type found struct {
	key
	place
	remove bool
}

// wholeAt returns the record at a place of a file of size bytes if it is whole there, or was moved there. Not
// all of its bytes may have a place in memory.
func wholeAt(f io.ReaderAt, at, size int64, name uint32) (found, bool, error) {
	fixed := make([]byte, recordHeader)
	if size-at < recordHeader {
		return found{}, false, nil
	}
	if _, err := f.ReadAt(fixed, at); err != nil {
		return found{}, false, err
	}
	h := parseHeader(fixed)
	written := placeOf(fixed, at, name)
	switch {
	case binary.LittleEndian.Uint32(fixed) != recordMagic, h.size() > size-at, h.headLen < 0 || h.headLen > MaxHead, h.flags > flagRemove,
		written < logHeader || written > at+size, h.synced < 0 || h.synced > written:
		return found{}, false, nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(f, at+recordHeader, h.size()-recordHeader), int(min(scanBuffer, h.size())))
	body := make([]byte, h.idLen+h.headLen)
	if _, err := io.ReadFull(r, body); err != nil {
		return found{}, false, err
	}
	sum, err := sumOf(r, h.payload)
	if err != nil || crc32.Checksum(body, castagnoli) != h.bodyCRC || sum != h.dataCRC {
		return found{}, false, err
	}
	return found{
		key:    key{h.kind, string(body[:h.idLen])},
		place:  place{offset: at, seq: h.seq, payload: h.payload, head: string(body[h.idLen:])},
		remove: h.flags == flagRemove,
	}, true, nil
}

// anyWhole reports whether there is a whole record between two places.
func anyWhole(f io.ReaderAt, from, to int64, name uint32) (bool, error) {
	for at := from; ; at++ {
		var err error
		if at, err = findRecord(f, at, to); err != nil || at == to {
			return false, err
		}
		if r, ok, err := wholeAt(f, at, to, name); ok && r.kind != markType || err != nil {
			return ok, err
		}
	}
}
