package binning

// hideMissing takes the missing codes out of the columns, so that these may be
// narrower, and makes the mask: an eighth of a byte per cell.
func (m *Matrix) hideMissing(codes *Codes) {
	for u := range m.groups {
		f := m.groups[u].Features[0]
		if codes.feature(f).hasMissing && m.groups[u].NBins > 1 {
			m.groups[u].NBins--
		}
	}
	m.mask = make([]byte, (uint64(m.rows)*uint64(len(m.locations))+7)/8)
}

// setMask marks the missing cells of a feature and gives them code 0. Features end
// inside common bytes, so that only one of them may be set at a time.
func (a *assembler) setMask(m *Matrix, f int, codes []uint32) {
	c := a.feature(f)
	if !c.hasMissing {
		return
	}
	missing := c.nCodes - 1
	a.maskLock.Lock()
	defer a.maskLock.Unlock()
	for row, code := range codes {
		if code == missing {
			bit := uint64(f)*uint64(m.rows) + uint64(row)
			m.mask[bit/8] |= 1 << (bit % 8)
			codes[row] = 0
		}
	}
}
