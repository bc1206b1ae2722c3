package recordlog

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// scanner reads the records of a log in order. Its fields say how far it came.
type scanner struct {
	file io.ReaderAt
	path string
	id   uint64 // the file's

	end    int64  // of the last whole record
	data   int64  // end of the last record that is no mark
	last   int64  // offset of that record, 0 if there is none
	next   uint64 // the least sequence number that may follow
	after  uint64 // the one after the last record that is no mark
	synced int64  // bytes that were on the disk when the last record was written
}

const scanBuffer = 256 << 10

const noRecord = "no record begins here"

func newScanner(file io.ReaderAt, path string, id uint64) scanner {
	return scanner{file: file, path: path, id: id, end: logHeader, data: logHeader, next: 1, after: 1, synced: logHeader}
}

// run calls each for the records up to size. It stops without an error where the rest
// was never written whole: nothing that the disk is known to have held is passed over.
func (s *scanner) run(size int64, each func(offset int64, h header, id string, head []byte)) error {
	r := bufio.NewReaderSize(io.NewSectionReader(s.file, s.end, size-s.end), int(min(scanBuffer, size-s.end)))
	for s.end < size {
		wrong, err := s.record(r, size, each)
		if err != nil {
			return err
		}
		if wrong != "" {
			return s.torn(size, wrong)
		}
	}
	return nil
}

// record reads the record at s.end, or says why the bytes there are no whole one.
func (s *scanner) record(r *bufio.Reader, size int64, each func(int64, header, string, []byte)) (wrong string, err error) {
	offset := s.end
	if size-offset < recordHeader {
		return "the record ends too soon", nil
	}
	fixed, err := r.Peek(recordHeader)
	if err != nil {
		return s.readError(err)
	}
	h, ok := decodeHeader(fixed, s.id, offset)
	if !ok {
		return noRecord, nil
	}
	if err := s.plausible(h, offset); err != nil {
		return "", err
	}
	if h.size() > size-offset {
		return "the record ends too soon", nil
	}
	if _, err := r.Discard(recordHeader); err != nil {
		return s.readError(err)
	}
	body := make([]byte, h.idLen+h.headLen)
	if _, err := io.ReadFull(r, body); err != nil {
		return s.readError(err)
	}
	if crc32.Checksum(body, castagnoli) != h.bodyCRC {
		return "the checksum of id and head is wrong", nil
	}
	sum, err := sumOf(r, h.payload)
	if err != nil {
		return s.readError(err)
	}
	if sum != h.dataCRC {
		return "the checksum of the payload is wrong", nil
	}
	s.end = offset + h.size()
	s.next = h.seq + 1
	s.synced = max(s.synced, h.synced)
	if h.kind != markType {
		s.last, s.data, s.after = offset, s.end, s.next
		each(offset, h, string(body[:h.idLen]), body[h.idLen:])
	}
	return "", nil
}

// plausible refuses a header that is whole but that no writer would make. Its checksum
// is right, so that it is no damage by chance.
func (s *scanner) plausible(h header, offset int64) error {
	switch {
	case h.headLen < 0 || h.headLen > MaxHead: // below 0 where an int has 32 bits
		return s.damage(offset, "the head is longer than a head can be")
	case h.kind == markType && (h.idLen != 0 || h.headLen != 0 || h.payload != 0 || h.flags != 0),
		h.flags > flagRemove, h.flags == flagRemove && (h.headLen != 0 || h.payload != 0):
		return s.damage(offset, "the record's type and its lengths disagree")
	case h.seq < s.next || h.seq == ^uint64(0):
		return s.damage(offset, fmt.Sprintf("sequence number %d comes where %d or more should", h.seq, s.next))
	case h.synced < 0 || h.synced > offset:
		return s.damage(offset, "the record claims that more is on the disk than was written")
	}
	return nil
}

// readError tells a file that was cut while it was read, by the writer that mends its
// end, from one that cannot be read.
func (s *scanner) readError(err error) (wrong string, _ error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the record ends too soon", nil
	}
	return "", wrapPath(s.path, err)
}

// torn decides what the bytes from s.end on are that are no whole record. If a record
// behind them says that they were on the disk, they are damaged. If not, nobody was told that
// they were, and they are what a crash leaves of the last writes.
func (s *scanner) torn(size int64, wrong string) error {
	if s.synced > s.end {
		return s.damage(s.end, wrong)
	}
	name, budget := nameState(s.id), 4*size
	for at := s.end; ; at++ {
		var err error
		if at, err = findRecord(s.file, at, size); err != nil {
			return s.tailError(err)
		}
		if at == size {
			return nil
		}
		b := make([]byte, recordHeader)
		if _, err := s.file.ReadAt(b, at); err != nil {
			return s.tailError(err)
		}
		h := parseHeader(b)
		if h.synced <= s.end {
			continue
		}
		if placeOf(b, at, name) == at {
			return s.damage(s.end, wrong)
		}
		if h.size() > size-at || h.seq < s.next {
			continue
		}
		// Bytes that went in or out before it have moved it.
		if budget -= h.size(); budget < 0 {
			return s.damage(s.end, wrong)
		}
		if _, ok, err := wholeAt(s.file, at, size, name); err != nil {
			return s.tailError(err)
		} else if ok {
			return s.damage(s.end, wrong)
		}
	}
}

// tailError is that of reading the tail; nil if the writer that mends it has cut it off.
func (s *scanner) tailError(err error) error {
	_, err = s.readError(err)
	return err
}

func (s *scanner) damage(offset int64, what string) error {
	return &DamageError{File: s.path, Offset: offset, What: what}
}

// sumOf is the checksum of the next n bytes.
func sumOf(r *bufio.Reader, n int64) (uint32, error) {
	var sum uint32
	for n > 0 {
		b, err := r.Peek(int(min(n, scanBuffer)))
		if len(b) == 0 {
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, b)
		n -= int64(len(b))
		if _, err := r.Discard(len(b)); err != nil {
			return 0, err
		}
	}
	return sum, nil
}
