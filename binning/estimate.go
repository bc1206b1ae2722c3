package binning

// EstimateBytes returns the memory that Build will take for the codes of rows rows
// and one feature per entry of nCodes, with storage Adaptive or Uniform, in columns
// of their own, without allocating it. It equals Matrix.Bytes.
func EstimateBytes(rows int, nCodes []uint32, storage string) uint64 {
	common := commonWidth(nCodes, storage)
	var size uint64
	for _, n := range nCodes {
		size += padded(max(common, WidthOf(n)).bytes(rows))
	}
	return size
}

// Shape is what the memory of a matrix depends on.
type Shape struct {
	Rows      int
	NCodes    []uint32 // per feature, the missing code included
	Missing   []bool   // per feature: its last code is the missing code; nil for none
	Cells     uint64   // sparse layouts: cells that do not have their feature's default bin
	RowStride int      // ELLPACK: the most such cells of any row
}

// Bytes returns the memory of a matrix without bundles in the layout and with the
// storage and the missing values that the parameters name, without allocating it. It
// equals Matrix.Bytes; for the layout "both" it adds the row-major copy's.
func (s Shape) Bytes(p Params) uint64 {
	p.fillLayout()
	widest, total := uint32(1), uint32(0)
	for _, n := range s.NCodes {
		widest = max(widest, n)
		total += n
	}
	features := len(s.NCodes)
	switch p.Layout {
	case LayoutCSR:
		return csrBytes(s.Rows, features, s.Cells, widest)
	case LayoutEllpack:
		return ellpackBytes(s.Rows, s.RowStride, total)
	case LayoutRow:
		return rowMajorBytes(s.Rows, features, max(U8, WidthOf(widest)))
	}
	stored := s.NCodes
	mask := uint64(0)
	if p.MissingAs == Mask {
		mask = (uint64(s.Rows)*uint64(features) + 7) / 8
		stored = append([]uint32{}, s.NCodes...)
		for f, missing := range s.Missing {
			if missing && stored[f] > 1 {
				stored[f]--
			}
		}
	}
	bytes := EstimateBytes(s.Rows, stored, p.Storage) + mask
	if p.Layout == LayoutBoth {
		narrow := 0
		for _, n := range s.NCodes {
			if n > 1 && n <= 256 {
				narrow++
			}
		}
		bytes += rowMajorBytes(s.Rows, narrow, U8)
	}
	return bytes
}

// NCodes returns the number of codes of each feature in training.
func (c *Cuts) NCodes() []uint32 {
	nCodes := make([]uint32, len(c.Features))
	for f := range c.Features {
		nCodes[f] = c.Features[f].NCodes()
	}
	return nCodes
}
