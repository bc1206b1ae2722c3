package hist

// Pointer is the type of a sparse layout's row pointers.
type Pointer interface{ ~uint32 | ~uint64 }

// OneWordCSR adds every entry's packed word to the slot of each of its row's stored
// cells: slot offsets[column] + code. ptr starts at the block's first row and points
// into columns and codes.
//
// Bound: two loads of a cell, one of its feature's offset and one read-modify-write of
// a slot, which misses the first caches where there are more than some 10⁵ slots.
func OneWordCSR[P Pointer, I, C Code](sums []uint64, offsets []uint32, ptr []P, columns []I, codes []C, entries []uint64) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		word := e &^ rowMask
		lo, hi := ptr[row], ptr[row+1]
		cols, values := columns[lo:hi], codes[lo:hi]
		values = values[:len(cols)]
		for i, f := range cols {
			sums[offsets[f]+uint32(values[i])] += word
		}
	}
}

// TwoWordCSR is OneWordCSR for 32-bit codes, which are read by row from grad and hess.
func TwoWordCSR[P Pointer, I, C Code](
	sums []Slot[int64, uint64], offsets []uint32, ptr []P, columns []I, codes []C, grad []int32, hess []uint32, entries []uint64,
) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		g, h := int64(grad[row]), uint64(hess[row])
		lo, hi := ptr[row], ptr[row+1]
		cols, values := columns[lo:hi], codes[lo:hi]
		values = values[:len(cols)]
		for i, f := range cols {
			s := &sums[offsets[f]+uint32(values[i])]
			s.Grad += g
			s.Hess += h
		}
	}
}

// CountCSR adds 1 to counts[column] for each stored cell of the entries' rows.
func CountCSR[P Pointer, I Code](counts []uint32, ptr []P, columns []I, entries []uint64) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		for _, f := range columns[ptr[row]:ptr[row+1]] {
			counts[f]++
		}
	}
}

// Nowhere in a table of slots stands for a feature whose cells are skipped.
const Nowhere = ^uint32(0)

// CountedSlot is one bin of a histogram with its number of rows.
type CountedSlot struct {
	Grad int64
	Hess uint64
	Rows uint64
}

// SumCSR adds to the slots of the features lo … hi-1 the gradient and hessian codes of
// every entry's row, and 1 to their rows, all times sign, which is 1 or -1: cell (column, code) belongs to slot
// at[column] + code, or to none where at[column] is Nowhere. Codes come from the entry
// itself where grad is nil.
func SumCSR[P Pointer, I, C Code](
	sums []CountedSlot, at []uint32, sign int64, lo, hi uint32, ptr []P, columns []I, codes []C, grad []int32, hess []uint32, entries []uint64,
) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		g, h := int64(e)>>32, e&0xffff
		if grad != nil {
			g, h = int64(grad[row]), uint64(hess[row])
		}
		g, h = g*sign, h*uint64(sign)
		from, to := ptr[row], ptr[row+1]
		cols, values := columns[from:to], codes[from:to]
		values = values[:len(cols)]
		for i, f := range cols {
			if uint32(f) < lo {
				continue
			}
			if uint32(f) >= hi {
				break
			}
			if first := at[f]; first != Nowhere {
				s := &sums[first+uint32(values[i])]
				s.Grad += g
				s.Hess += h
				s.Rows += uint64(sign)
			}
		}
	}
}

// DivideCSR takes the rows of the entries away from the sums of a node, as SumCSR with sign -1,
// and adds them to those of a child, whose features are some of the node's. A cell is read once for
// both: most of the time goes into reading scattered rows.
func DivideCSR[P Pointer, I, C Code](
	node, child []CountedSlot, nodeAt, childAt []uint32, lo, hi uint32, ptr []P, columns []I, codes []C, grad []int32, hess []uint32, entries []uint64,
) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		g, h := int64(e)>>32, e&0xffff
		if grad != nil {
			g, h = int64(grad[row]), uint64(hess[row])
		}
		from, to := ptr[row], ptr[row+1]
		cols, values := columns[from:to], codes[from:to]
		values = values[:len(cols)]
		for i, f := range cols {
			if uint32(f) < lo {
				continue
			}
			if uint32(f) >= hi {
				break
			}
			first := nodeAt[f]
			if first == Nowhere {
				continue
			}
			s := &node[first+uint32(values[i])]
			s.Grad -= g
			s.Hess -= h
			s.Rows--
			if first = childAt[f]; first != Nowhere {
				s = &child[first+uint32(values[i])]
				s.Grad += g
				s.Hess += h
				s.Rows++
			}
		}
	}
}

// Spread writes the entries of one block, by row, to words that start at its first row:
//
//	63            32 31         16 15      0
//	| gradient code | 1           | hessian |
//
// Words of rows that are not among the entries are left as they are.
func Spread(words, entries []uint64) {
	for _, e := range entries {
		words[uint16(e>>rowShift)] = e&^rowMask | 1<<rowShift
	}
}

// SumColumn adds to one feature's slots the words of the rows of its stored cells, as
// Spread writes them, times sign, which is 1 or -1; a word of 0 is a row that does not count.
//
// Bound: a load of a cell and of its row's word, which misses the second cache from
// some 10⁵ rows on, and a read-modify-write of one of a few hundred slots.
func SumColumn[C Code](sums []CountedSlot, rows []int32, codes []C, words []uint64, sign int64) {
	codes = codes[:len(rows)]
	for i, row := range rows {
		w := words[row]
		s := &sums[codes[i]]
		s.Grad += (int64(w) >> 32) * sign
		s.Hess += (w & 0xffff) * uint64(sign)
		s.Rows += (w >> rowShift & 1) * uint64(sign)
	}
}

// OneWordSymbols adds every entry's packed word to the slots that its row's symbols
// name, up to the null symbol. symbol i of row r, counted from the block's first
// row, is at(r, i).
func OneWordSymbols(sums []uint64, symbols *Symbols, entries []uint64) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		word := e &^ rowMask
		for i := range symbols.PerRow {
			s := symbols.at(row, i)
			if s == symbols.Null {
				break
			}
			sums[s] += word
		}
	}
}

// TwoWordSymbols is OneWordSymbols for 32-bit codes.
func TwoWordSymbols(sums []Slot[int64, uint64], symbols *Symbols, grad []int32, hess []uint32, entries []uint64) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		for i := range symbols.PerRow {
			s := symbols.at(row, i)
			if s == symbols.Null {
				break
			}
			sums[s].Grad += int64(grad[row])
			sums[s].Hess += uint64(hess[row])
		}
	}
}

// Symbols is a block of rows of one length, as a stream of Bits-wide numbers, lowest
// bit first, row by row (SlotStride 0), or unpacked slot by slot.
type Symbols struct {
	PerRow int
	Null   uint32

	Packed []byte // the whole stream, with 8 bytes to spare
	Bits   int
	First  uint64 // row of the stream that is row 0 here

	// Slot by slot: symbol i of row r is entry i*SlotStride+r of the one slice that is set.
	U8         []uint8
	U16        []uint16
	U32        []uint32
	SlotStride int
}

func (s *Symbols) at(row, i int) uint32 {
	switch at := i*s.SlotStride + row; {
	case s.U8 != nil:
		return uint32(s.U8[at])
	case s.U16 != nil:
		return uint32(s.U16[at])
	case s.U32 != nil:
		return s.U32[at]
	}
	bit := ((s.First+uint64(row))*uint64(s.PerRow) + uint64(i)) * uint64(s.Bits)
	b := s.Packed[bit/8 : bit/8+8]
	word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32
	return uint32(word>>(bit%8)) & (1<<s.Bits - 1)
}

// OneWordWideRows is OneWordRows for codes of more than one byte: a row has stride
// codes, and code c of the i-th belongs to slot at[i] + c.
func OneWordWideRows[C Code](sums []uint64, at []int, codes []C, stride int, entries []uint64) {
	for _, e := range entries {
		row := int(uint16(e>>rowShift)) * stride
		word := e &^ rowMask
		for i, c := range codes[row : row+len(at)] {
			sums[at[i]+int(c)] += word
		}
	}
}

// TwoWordWideRows is TwoWordRows for codes of more than one byte.
func TwoWordWideRows[C Code, VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	sums []Slot[G, H], counts []uint32, at []int, codes []C, stride int, grad []VG, hess []VH, entries []uint64,
) {
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		g, h := G(grad[row]), H(hess[row])
		for i, c := range codes[row*stride : row*stride+len(at)] {
			s := &sums[at[i]+int(c)]
			s.Grad += g
			s.Hess += h
			if counts != nil {
				counts[at[i]+int(c)]++
			}
		}
	}
}
