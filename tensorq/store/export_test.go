package store

import "boost/internal/recordlog"

// Resident returns the bytes in memory and the cap.
func (s *Store) Resident() (bytes, cap int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.residents.bytes, s.residents.cap
}

// HeadSize returns the bytes of a tensor's record, its id included.
func (s *Store) HeadSize(id string) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(id) + len(s.tensors[id].appendHead(nil))
}

// Unrecorded counts the tensors whose use is not in the log.
func (s *Store) Unrecorded() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	n := 0
	for _, t := range s.tensors {
		if t.used {
			n++
		}
	}
	return n
}

// Log is the log of a store that writes.
func (s *Store) Log() *recordlog.Log { return s.writer }

// AbsentPart is the record of an absent tensor of one value that is the first of ref's, and AbsentCopy
// that of one of n values that are ref's.
func AbsentPart(ref string) []byte {
	t := state{shape: []int{1}, rule: &rule{kind: ruleProjection, ref: ref, runs: []run{{0, 1}}}}
	return t.appendHead(nil)
}

func AbsentCopy(ref string, n int) []byte {
	t := state{shape: []int{n}, rule: &rule{kind: ruleScale, ref: ref, by: 1}}
	return t.appendHead(nil)
}

const (
	LogKind      = logKind
	RecordTensor = recordTensor
	RecordAccess = recordAccess
	RecordMaster = recordMaster
	RecordOther  = recordOther
)

// DecodeHead decodes and encodes again.
func DecodeHead(id string, b []byte, payload int64) ([]byte, []int, error) {
	t, err := decodeHead(id, b, payload)
	if err != nil {
		return nil, nil, err
	}
	return t.appendHead(nil), t.shape, nil
}

// TakeAccess decodes a record of use.
func TakeAccess(b []byte) error {
	var t state
	return t.takeAccess("x", b)
}

// AddDifferences decodes the bytes of a delta.
func AddDifferences(dense bool, b []byte, out []float32) error {
	if dense {
		return addDense("x", b, out)
	}
	return addSparse("x", b, out)
}

// EncodeDifferences encodes single differences.
func EncodeDifferences(index []int, value []float32, n int) ([]byte, error) {
	return encodeSparse(index, value, n)
}
