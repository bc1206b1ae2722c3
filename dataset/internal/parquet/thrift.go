package parquet

// thrift reads values in Thrift's compact protocol, in which Parquet writes its
// metadata:
//
//	field    one byte: id − previous id in the high nibble (0: a zigzag varint id follows), type in the low
//	list     one byte: size in the high nibble (15: a varint size follows), type of elements in the low
//	integer  zigzag varint
//	binary   varint length, bytes
//	struct   fields, a zero byte
//
// Nothing is allocated by a length that the bytes do not back up. The first problem
// makes failed true and ends every loop over fields and elements.
type thrift struct {
	b      []byte
	i      int
	failed bool
}

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI8     = 3
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// thriftDepth bounds how deep values that are skipped may be nested.
const thriftDepth = 24

func (t *thrift) fail() { t.failed, t.i = true, len(t.b) }

func (t *thrift) byte() byte {
	if t.i >= len(t.b) {
		t.fail()
		return 0
	}
	c := t.b[t.i]
	t.i++
	return c
}

func (t *thrift) varint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		c := t.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	t.fail()
	return 0
}

func (t *thrift) integer() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// binary returns bytes of the input, not a copy.
func (t *thrift) binary() []byte {
	n := t.varint()
	if n > uint64(len(t.b)-t.i) {
		t.fail()
		return nil
	}
	t.i += int(n)
	return t.b[t.i-int(n) : t.i]
}

// fields calls each with every field of a struct, up to its end; each has to read
// or skip the value.
func (t *thrift) fields(each func(id int, kind byte)) {
	id := 0
	for !t.failed {
		c := t.byte()
		if c == 0 {
			return
		}
		if step := int(c >> 4); step > 0 {
			id += step
		} else {
			id = int(int16(t.integer()))
		}
		each(id, c&15)
	}
}

// structs calls each for every element of a list, if it is one of structs.
func (t *thrift) structs(kind byte, each func()) {
	if kind != thriftList {
		t.fail()
		return
	}
	n, element := t.listHead()
	if n > 0 && element != thriftStruct {
		t.fail()
	}
	for ; n > 0 && !t.failed; n-- {
		each()
	}
}

// listHead returns the size of a list; an element takes at least one byte.
func (t *thrift) listHead() (n int, element byte) {
	c := t.byte()
	size := uint64(c >> 4)
	if size == 15 {
		size = t.varint()
	}
	if size > uint64(len(t.b)-t.i) {
		t.fail()
		return 0, 0
	}
	return int(size), c & 15
}

// number reads a field that has to be an integer.
func (t *thrift) number(kind byte) int64 {
	switch {
	case kind == thriftI8:
		return int64(int8(t.byte()))
	case kind < thriftI8 || kind > thriftI64:
		t.fail()
		return 0
	}
	return t.integer()
}

// text reads a field that has to be text.
func (t *thrift) text(kind byte) string {
	if kind != thriftBinary {
		t.fail()
		return ""
	}
	return string(t.binary())
}

// object reads a field that has to be a struct.
func (t *thrift) object(kind byte, each func(id int, kind byte)) {
	if kind != thriftStruct {
		t.fail()
		return
	}
	t.fields(each)
}

// skip passes over the value of a field.
func (t *thrift) skip(kind byte) { t.skipNested(kind, thriftDepth) }

func (t *thrift) skipNested(kind byte, depth int) {
	if depth == 0 {
		t.fail()
		return
	}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftI8:
		t.byte()
	case 4, 5, thriftI64:
		t.varint()
	case thriftDouble:
		if t.i += 8; t.i > len(t.b) {
			t.fail()
		}
	case thriftBinary:
		t.binary()
	case thriftList, thriftSet:
		n, element := t.listHead()
		for ; n > 0 && !t.failed; n-- {
			t.skipElement(element, depth-1)
		}
	case thriftMap:
		n := t.varint()
		if n == 0 {
			return
		}
		kinds := t.byte()
		for ; n > 0 && !t.failed; n-- {
			t.skipElement(kinds>>4, depth-1)
			t.skipElement(kinds&15, depth-1)
		}
	case thriftStruct:
		t.fields(func(_ int, kind byte) { t.skipNested(kind, depth-1) })
	default:
		t.fail()
	}
}

// skipElement passes over an element of a container, where a boolean takes a byte.
func (t *thrift) skipElement(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftI8
	}
	t.skipNested(kind, depth)
}
