package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"boost/tensorq"
)

// Types of records in the log. Ids are those of the tensors.
const (
	recordTensor = 1 // head: what a tensor is; payload: its codes, then its rule's bytes
	recordAccess = 2 // head: use since the record of type 1; no payload
	recordMaster = 3 // no head; payload: the lossless values, float32
	recordOther  = 4 // as 3: new ones stand there while those of 3 are still needed
	recordSweep  = 5 // id "", head: 8 time of the last sweep, ns since 1970; no payload
	recordOwner  = 6 // id "", head: a recordlog.Position that the owner's log has reached; no payload
)

// logKind is "TQST".
const logKind = 0x54535154

// The head of a tensor, D the number of dimensions:
//
//	offset size
//	 0     1    version, 1
//	 1     1    type of the values: 1 = float32
//	 2     1    tier
//	 3     1    bits, 0 if absent
//	 4     1    1: degraded; lossless values are kept, 2: as type 3, 4: as type 4; 8: it has
//	            a block size of its own
//	 5     1    D
//	 6     4    CRC32C of the values as they were put, float32
//	10     4    CRC32C that stands for the codes; of the rule's bytes if absent
//	14     4    bytes of the codes in the payload; the rest is the rule's
//	18     4    values that share a scale; 0 if absent and not of its own
//	22     8    created, ns since 1970
//	30     8    last access, likewise
//	38     8    accesses
//	46     8    float64: largest possible error; if absent, of what the rule makes
//	54     4·D  shape
//	 …     1    rule: 0 none, 1 discard, 2 single differences, 3 dense ones, 4 scale,
//	            5 permutation, 6 projection, 7 custom; of 2 and more
//	 …     8    float64: tolerance; if absent, bound of the base when it became so
//	 …     4    what the base was then, as in 10
//	 …     4    float32: largest magnitude that the rule made
//	 …     1    R
//	 …     R    id of the base
//	 …          4: float32; 5, 6: 1 axis, uvarint number of runs, then uvarint start and
//	            uvarint length of each; 7: 1 length of the name, name
const (
	headVersion = 1
	headFixed   = 54
	ruleFixed   = 17
	dtypeF32    = 1
	maxDims     = 8

	flagDegraded = 1
	flagMaster   = 2
	flagOther    = 4
	flagOwn      = 8
)

// state is what is recorded of a tensor.
type state struct {
	shape    []int
	tier     Tier
	bits     int
	degraded bool
	master   uint8  // type of the record of the lossless values, 0 if they are not kept
	content  uint32 // CRC32C of the values as they were put
	sum      uint32 // stands for the codes
	codes    int64  // bytes
	block    int    // values that share a scale
	own      bool   // block is the tensor's, not the store's
	created  int64  // ns
	last     int64  // ns
	count    uint64
	bound    float64
	rule     *rule
}

func (t *state) appendHead(b []byte) []byte {
	flags := byte(0)
	if t.degraded {
		flags |= flagDegraded
	}
	switch t.master {
	case recordMaster:
		flags |= flagMaster
	case recordOther:
		flags |= flagOther
	}
	if t.own {
		flags |= flagOwn
	}
	b = append(b, headVersion, dtypeF32, byte(t.tier), byte(t.bits), flags, byte(len(t.shape)))
	b = binary.LittleEndian.AppendUint32(b, t.content)
	b = binary.LittleEndian.AppendUint32(b, t.sum)
	b = binary.LittleEndian.AppendUint32(b, uint32(t.codes))
	b = binary.LittleEndian.AppendUint32(b, uint32(t.block))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.created))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.last))
	b = binary.LittleEndian.AppendUint64(b, t.count)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t.bound))
	for _, d := range t.shape {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
	}
	return t.rule.append(b)
}

func (r *rule) append(b []byte) []byte {
	if r == nil {
		return append(b, byte(noRule))
	}
	b = append(b, byte(r.kind))
	if !r.refers() {
		return b
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.limit))
	b = binary.LittleEndian.AppendUint32(b, r.baseSum)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.peak))
	b = append(append(b, byte(len(r.ref))), r.ref...)
	switch r.kind {
	case ruleScale:
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.by))
	case rulePermutation, ruleProjection:
		b = append(b, byte(r.axis))
		b = binary.AppendUvarint(b, uint64(len(r.runs)))
		for _, run := range r.runs {
			b = binary.AppendUvarint(b, uint64(run.start))
			b = binary.AppendUvarint(b, uint64(run.length))
		}
	case ruleCustom:
		b = append(append(b, byte(len(r.name))), r.name...)
	}
	return b
}

// decodeHead reads the head of a tensor whose record has a payload of so many bytes.
func decodeHead(id string, b []byte, payload int64) (state, error) {
	wrong := func(format string, args ...any) (state, error) {
		return state{}, &RecordError{id, fmt.Sprintf(format, args...)}
	}
	if len(b) < headFixed {
		return wrong("a head of %d bytes", len(b))
	}
	if b[0] != headVersion || b[1] != dtypeF32 {
		return wrong("version %d, type %d", b[0], b[1])
	}
	t := state{
		tier: Tier(b[2]), bits: int(b[3]),
		degraded: b[4]&flagDegraded != 0,
		own:      b[4]&flagOwn != 0,
		content:  binary.LittleEndian.Uint32(b[6:]),
		sum:      binary.LittleEndian.Uint32(b[10:]),
		codes:    int64(binary.LittleEndian.Uint32(b[14:])),
		block:    int(binary.LittleEndian.Uint32(b[18:])),
		created:  int64(binary.LittleEndian.Uint64(b[22:])),
		last:     int64(binary.LittleEndian.Uint64(b[30:])),
		count:    binary.LittleEndian.Uint64(b[38:]),
		bound:    math.Float64frombits(binary.LittleEndian.Uint64(b[46:])),
	}
	dims := int(b[5])
	switch {
	case t.tier > Cold, t.bits > 8, t.bits == 1, b[4] > flagDegraded|flagMaster|flagOther|flagOwn, b[4]&flagMaster != 0 && b[4]&flagOther != 0, dims > maxDims:
		return wrong("tier %d, %d bits, flags %d, %d dimensions", b[2], b[3], b[4], dims)
	case (t.tier == Absent) != (t.bits == 0), (t.codes == 0) != (t.bits == 0), t.codes > payload:
		return wrong("tier %v with %d bits and %d bytes of codes in %d", t.tier, t.bits, t.codes, payload)
	case (t.block == 0) != (t.bits == 0 && !t.own), t.block > tensorq.MaxBlockSize:
		return wrong("blocks of %d values", t.block)
	case !(t.bound >= 0): // a NaN too
		return wrong("an error of %v", t.bound)
	}
	switch {
	case b[4]&flagMaster != 0:
		t.master = recordMaster
	case b[4]&flagOther != 0:
		t.master = recordOther
	}
	b = b[headFixed:]
	if len(b) < 4*dims {
		return wrong("a shape that ends early")
	}
	t.shape = make([]int, dims)
	values := int64(1)
	for i := range t.shape {
		d := int64(binary.LittleEndian.Uint32(b[4*i:]))
		if d == 0 || d > maxValues/values {
			return wrong("a shape with dimension %d", d)
		}
		values *= d
		t.shape[i] = int(d)
	}
	if t.codes < int64(tensorq.PackedSize(int(values), t.bits)) {
		return wrong("%d bytes of codes for %d values of %d bits", t.codes, values, t.bits)
	}
	var err error
	if t.rule, err = decodeRule(id, b[4*dims:]); err != nil {
		return state{}, err
	}
	if t.tier == Absent && t.rule == nil {
		return wrong("absent without a rule")
	}
	if rest := payload - t.codes; rest > 0 && !t.rule.hasBytes() {
		return wrong("%d bytes that belong to nothing", rest)
	}
	return t, nil
}

func (r *rule) hasBytes() bool {
	return r != nil && (r.kind == ruleSparse || r.kind == ruleDense || r.kind == ruleCustom)
}

func decodeRule(id string, b []byte) (*rule, error) {
	wrong := func(text string) (*rule, error) { return nil, &RecordError{id, "rule: " + text} }
	if len(b) == 0 {
		return wrong("none")
	}
	r := &rule{kind: ruleKind(b[0])}
	b = b[1:]
	switch {
	case r.kind > ruleCustom:
		return wrong("of an unknown kind")
	case r.kind <= ruleDiscard && len(b) > 0:
		return wrong("bytes that belong to nothing")
	case r.kind == noRule:
		return nil, nil
	case r.kind == ruleDiscard:
		return r, nil
	case len(b) < ruleFixed || len(b) < ruleFixed+int(b[16]):
		return wrong("ends early")
	}
	r.limit = math.Float64frombits(binary.LittleEndian.Uint64(b))
	r.baseSum = binary.LittleEndian.Uint32(b[8:])
	r.peak = math.Float32frombits(binary.LittleEndian.Uint32(b[12:]))
	r.ref = string(b[ruleFixed : ruleFixed+int(b[16])])
	b = b[ruleFixed+int(b[16]):]
	if !(r.limit >= 0) || !(r.peak >= 0) || r.ref == "" || r.ref == id {
		return wrong("a tolerance, magnitude or reference that cannot be")
	}
	switch r.kind {
	case ruleScale:
		if len(b) != 4 {
			return wrong("no factor")
		}
		r.by = math.Float32frombits(binary.LittleEndian.Uint32(b))
		if by := float64(r.by); math.IsNaN(by) || math.IsInf(by, 0) {
			return wrong("a factor that is not finite")
		}
		return r, nil
	case rulePermutation, ruleProjection:
		return r, decodeRuns(id, r, b)
	case ruleCustom:
		if len(b) == 0 || len(b) != 1+int(b[0]) || b[0] == 0 {
			return wrong("no name")
		}
		r.name = string(b[1:])
		return r, nil
	}
	if len(b) > 0 {
		return wrong("bytes that belong to nothing")
	}
	return r, nil
}

func decodeRuns(id string, r *rule, b []byte) error {
	wrong := func() error { return &RecordError{id, "rule: parts that cannot be"} }
	if len(b) == 0 || b[0] >= maxDims {
		return wrong()
	}
	r.axis = int(b[0])
	b = b[1:]
	next := func() (int, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > maxValues {
			return 0, false
		}
		b = b[n:]
		return int(v), true
	}
	count, ok := next()
	if !ok || count > len(b)/2 {
		return wrong()
	}
	r.runs = make([]run, count)
	for i := range r.runs {
		start, ok := next()
		length, also := next()
		if !ok || !also || length == 0 {
			return wrong()
		}
		r.runs[i] = run{start, length}
	}
	if len(b) > 0 {
		return wrong()
	}
	return nil
}

// The head of a record of use: 8 created, which names the tensor that it belongs to,
// 8 last access, 8 accesses, 1 flags.
const accessHead = 25

func (t *state) appendAccess(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(t.created))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.last))
	b = binary.LittleEndian.AppendUint64(b, t.count)
	if t.degraded {
		return append(b, flagDegraded)
	}
	return append(b, 0)
}

// takeAccess takes a record of use into the tensor it belongs to.
func (t *state) takeAccess(id string, b []byte) error {
	if len(b) != accessHead || b[24] > flagDegraded {
		return &RecordError{id, fmt.Sprintf("use of %d bytes", len(b))}
	}
	if int64(binary.LittleEndian.Uint64(b)) != t.created {
		return nil // of a tensor that had the id before
	}
	t.last = int64(binary.LittleEndian.Uint64(b[8:]))
	t.count = binary.LittleEndian.Uint64(b[16:])
	t.degraded = b[24] == flagDegraded
	return nil
}
