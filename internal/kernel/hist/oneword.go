package hist

import "unsafe"

// Code is the element type of a stored column.
type Code interface{ ~uint8 | ~uint16 | ~uint32 }

// OneWordColumn adds every entry's packed word to sums[codes[row]].
// codes holds the block's rows, sums at least as many slots as there are codes.
func OneWordColumn[C Code](sums []uint64, codes []C, entries []uint64) {
	for _, e := range entries {
		sums[codes[uint16(e>>rowShift)]] += e &^ rowMask
	}
}

// OneWordWords is OneWordColumn for codes of two bytes.
//
// Bound: eight instructions an entry, two cycles; slots of thousands of codes come from the
// second-level cache, and 16 entries are under way at once.
func OneWordWords(sums []uint64, codes []uint16, entries []uint64) {
	OneWordColumn(sums, codes, entries[addWordsAhead(sums, codes, entries):])
}

// OneWordColumns4 is OneWordColumn for four columns at once: an entry is read and
// split once for four updates. The four sums are equally long.
func OneWordColumns4[C Code](sums *[4][]uint64, codes *[4][]C, entries []uint64) {
	s0 := sums[0] // one length for the compiler to keep
	s1, s2, s3 := sums[1][:len(s0)], sums[2][:len(s0)], sums[3][:len(s0)]
	c0 := codes[0]
	c1, c2, c3 := codes[1][:len(c0)], codes[2][:len(c0)], codes[3][:len(c0)]
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		word := e &^ rowMask
		s0[c0[row]] += word
		s1[c1[row]] += word
		s2[c2[row]] += word
		s3[c3[row]] += word
	}
}

// OneWordBytes4 is OneWordColumns4 for codes of one byte. Each column has Slots slots, one column after the
// other. Every byte is below Slots, so no index is checked, and one address serves all columns, so the loop's state stays in
// registers.
func OneWordBytes4(sums *[4 * Slots]uint64, codes *[4][]uint8, entries []uint64) {
	c0 := codes[0]
	c1, c2, c3 := codes[1][:len(c0)], codes[2][:len(c0)], codes[3][:len(c0)]
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		word := e &^ rowMask
		sums[c0[row]] += word
		sums[Slots+int(c1[row])] += word
		sums[2*Slots+int(c2[row])] += word
		sums[3*Slots+int(c3[row])] += word
	}
}

// OneWordNibbles is OneWordColumn for a column of packed 4-bit codes: row r in
// byte r/2, the even row in the low nibble. sums holds at least 16 slots.
func OneWordNibbles(sums []uint64, codes []byte, entries []uint64) {
	s := (*[16]uint64)(sums)
	for _, e := range entries {
		row := uint16(e >> rowShift)
		s[codes[row>>1]>>(row&1<<2)&15] += e &^ rowMask
	}
}

// OneWordNibbles4 is OneWordNibbles for four columns at once, whose 16 slots follow each
// other. The codes of two rows that share a byte are read together, without shifts that depend on the row.
func OneWordNibbles4(sums *[64]uint64, codes *[4][]byte, entries []uint64) {
	c0 := codes[0]
	c1, c2, c3 := codes[1][:len(c0)], codes[2][:len(c0)], codes[3][:len(c0)]
	for len(entries) > 0 {
		row := uint16(entries[0] >> rowShift)
		at, word := row>>1, entries[0]&^rowMask
		b0, b1, b2, b3 := c0[at], c1[at], c2[at], c3[at]
		if len(entries) > 1 && row&1 == 0 && uint16(entries[1]>>rowShift) == row+1 {
			next := entries[1] &^ rowMask
			sums[b0&15] += word
			sums[16+b1&15] += word
			sums[32+b2&15] += word
			sums[48+b3&15] += word
			sums[b0>>4] += next
			sums[16+b1>>4] += next
			sums[32+b2>>4] += next
			sums[48+b3>>4] += next
			entries = entries[2:]
			continue
		}
		shift := row & 1 << 2
		sums[b0>>shift&15] += word
		sums[16+b1>>shift&15] += word
		sums[32+b2>>shift&15] += word
		sums[48+b3>>shift&15] += word
		entries = entries[1:]
	}
}

// touchRows is the number of entries whose codes are brought into the cache
// before they are added up.
const touchRows = 64

// OneWordRows adds every entry's packed word to one slot per feature of a
// row-major matrix: slot f*Slots + code. codes starts at the block's first row, a
// row's codes at row*stride, which is at least features; sums holds features*Slots words. The
// entries' rows ascend strictly: the assembly reads up to seven bytes behind the codes of a row
// that another one follows.
//
// With scattered, the entries skip rows, so the processor cannot guess the next address. The Go form then reads
// codes ahead for a group of rows, and the cache misses of a group overlap. The assembly fetches all rows while others
// are added up.
//
// Bound: an update writes a slot, one a cycle; the assembly's four and a half instructions,
// with a dozen for a row, take 1.3. A row costs its one or two cache lines.
func OneWordRows(sums []uint64, codes []uint8, stride, features int, entries []uint64, scattered bool) {
	if len(entries) == 0 || features == 0 {
		return
	}
	// The loops below go without bounds checks. A code is a byte and every feature
	// has Slots ≥ 256 slots; rows ascend, so the last entry's row is the largest.
	last := int(Row(entries[len(entries)-1]))
	_ = codes[last*stride+features-1]
	_ = sums[features*Slots-1]
	if fetching {
		addAhead(sums, codes, stride, features, entries)
		return
	}
	if !scattered {
		addRows(unsafe.Pointer(&sums[0]), unsafe.Pointer(&codes[0]), stride, features, entries)
		return
	}
	touched := uint8(0)
	for len(entries) > 0 {
		group := entries[:min(touchRows, len(entries))]
		entries = entries[len(group):]
		touched |= touch(unsafe.Pointer(&codes[0]), stride, features, group)
		addRows(unsafe.Pointer(&sums[0]), unsafe.Pointer(&codes[0]), stride, features, group)
	}
	keep(touched)
}

func addRows(sums, codes unsafe.Pointer, stride, features int, entries []uint64) {
	whole := features &^ 3
	for _, e := range entries {
		row := unsafe.Add(codes, int(uint16(e>>rowShift))*stride)
		word := e &^ rowMask
		// Places are offsets, not moving pointers: one behind the last slot would
		// point into another object, which the collector does not forgive.
		f, at := 0, 0
		for ; f < whole; f += 4 {
			four := *(*uint32)(unsafe.Add(row, f))
			slots := unsafe.Add(sums, at)
			*(*uint64)(unsafe.Add(slots, uintptr(uint8(four))*8)) += word
			*(*uint64)(unsafe.Add(slots, uintptr(uint8(four>>8))*8+1*Slots*8)) += word
			*(*uint64)(unsafe.Add(slots, uintptr(uint8(four>>16))*8+2*Slots*8)) += word
			*(*uint64)(unsafe.Add(slots, uintptr(four>>24)*8+3*Slots*8)) += word
			at += 4 * Slots * 8
		}
		for ; f < features; f++ {
			*(*uint64)(unsafe.Add(sums, uintptr(*(*uint8)(unsafe.Add(row, f)))*8+uintptr(at))) += word
			at += Slots * 8
		}
	}
}

// touch reads one byte of every cache line of the entries' rows. The loads do not
// depend on each other, so their misses overlap.
func touch(codes unsafe.Pointer, stride, features int, entries []uint64) uint8 {
	sum := uint8(0)
	for _, e := range entries {
		row := unsafe.Add(codes, int(uint16(e>>rowShift))*stride)
		for at := 0; at < features; at += 64 {
			sum |= *(*uint8)(unsafe.Add(row, at))
		}
		sum |= *(*uint8)(unsafe.Add(row, features-1))
	}
	return sum
}

// keep uses its argument, so that the compiler does not remove the loads that made it.
//
//go:noinline
func keep(uint8) {}
