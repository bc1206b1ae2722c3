package binning

import (
	"context"
	"encoding/binary"
	"math/bits"
	"sync"

	"boost/binning/internal/bundle"
	"boost/internal/kernel/bin"
	"boost/parallel"
)

// coded is one feature on its way into a matrix: the codes of all rows, or a list
// of the rows outside its default bin.
type coded struct {
	nCodes     uint32
	hasMissing bool
	all        *Column // where list is nil
	list       *list
}

// assembler puts coded features into the layout asked for.
type assembler struct {
	*Codes
	nCodes      []uint32
	params      Params
	pool        *parallel.Pool
	defaultBins []defaultBin // once counted
	maskLock    sync.Mutex
}

// defaultBin is a feature's code that a sparse layout leaves out: the missing code if the
// feature has one, unless another code holds more than half of the rows; else the most
// frequent code, the lower one among equals.
type defaultBin struct {
	code   uint32
	others int // rows with another code
}

// finish returns the matrix in its layout.
func (a *assembler) finish(ctx context.Context) (*Matrix, error) {
	m, reason, err := a.assemble(ctx)
	if err != nil {
		return nil, err
	}
	named := *m // m may be the caller's own matrix
	named.reason = reason
	return &named, nil
}

// assemble returns the matrix and, where the layout was left open, why it was chosen.
func (a *assembler) assemble(ctx context.Context) (*Matrix, string, error) {
	a.nCodes = make([]uint32, a.nFeatures())
	for f := range a.nCodes {
		a.nCodes[f] = a.feature(f).nCodes
	}
	switch a.params.Layout {
	case LayoutCSR, LayoutEllpack:
		m, err := a.sparse(ctx, a.params.Layout)
		return m, "asked for", err
	case Auto:
		if a.params.MissingAs == Mask {
			m, err := a.columns(ctx, nil)
			return m, "a mask of missing values lies beside columns", err
		}
		return a.choose(ctx)
	}
	groups, err := a.bundles(ctx, a.nFeatures())
	if err != nil {
		return nil, "", err
	}
	m, err := a.columns(ctx, groups)
	if err != nil {
		return nil, "", err
	}
	if a.params.Layout == LayoutRow {
		rows := *m
		rows.byRow, rows.data = newRowMajor(m, a.pool), nil
		m = &rows
	}
	return m, "asked for", nil
}

func (a *assembler) widest() uint32 {
	widest := uint32(1)
	for _, n := range a.nCodes {
		widest = max(widest, n)
	}
	return widest
}

// groupCodes returns the numbers of codes of columns of these features; nil means one each.
func (a *assembler) groupCodes(groups [][]int) []uint32 {
	if groups == nil {
		return a.nCodes
	}
	nCodes := make([]uint32, len(groups))
	for i, features := range groups {
		if nCodes[i] = a.nCodes[features[0]]; len(features) == 1 {
			continue
		}
		nCodes[i] = 1
		for _, f := range features {
			nCodes[i] += a.nCodes[f] - 1
		}
	}
	return nCodes
}

// countDefaultBins finds the default bin of every feature.
func (a *assembler) countDefaultBins(ctx context.Context) error {
	if a.defaultBins != nil {
		return nil
	}
	a.defaultBins = make([]defaultBin, a.nFeatures())
	counts := make([][]uint32, a.pool.Threads())
	return a.pool.DoContext(ctx, a.nFeatures(), parallel.Func(func(worker, f int) {
		c := a.feature(f)
		if c.list != nil {
			a.defaultBins[f] = defaultBin{c.list.defaultBin, len(c.list.rows)}
			return
		}
		if len(counts[worker]) < int(c.nCodes) {
			counts[worker] = make([]uint32, max(c.nCodes, 256))
		}
		count := counts[worker][:max(c.nCodes, 16)]
		clear(count)
		countCodes(count, a.column(f))
		a.defaultBins[f] = defaultBinOf(count[:c.nCodes], c.hasMissing, a.rows)
	}))
}

func countCodes(count []uint32, c Column) {
	switch c.Bits {
	case U4:
		var pairs [256]uint32
		tally(pairs[:], c.u4[:c.N/2])
		for pair, n := range pairs {
			count[pair&15] += n
			count[pair>>4] += n
		}
		if c.N%2 == 1 {
			count[c.u4[c.N/2]&15]++
		}
	case U8:
		tally(count, c.u8)
	case U16:
		tally(count, c.u16)
	default:
		tally(count, c.u32)
	}
}

func tally[C bin.Code](count []uint32, codes []C) {
	for _, code := range codes {
		count[code]++
	}
}

func defaultBinOf(count []uint32, hasMissing bool, rows int) defaultBin {
	best := 0
	for code, n := range count {
		if n > count[best] {
			best = code
		}
	}
	if missing := len(count) - 1; hasMissing && 2*int(count[best]) <= rows {
		best = missing
	}
	return defaultBin{uint32(best), rows - int(count[best])}
}

// lists returns every feature as a list.
func (a *assembler) lists(ctx context.Context) ([]*list, error) {
	if err := a.countDefaultBins(ctx); err != nil {
		return nil, err
	}
	lists := make([]*list, a.nFeatures())
	return lists, a.pool.DoContext(ctx, len(lists), parallel.Func(func(_, f int) {
		lists[f] = a.list(f)
	}))
}

// list returns a feature as a list.
func (a *assembler) list(f int) *list {
	c := a.feature(f)
	if c.list != nil {
		return c.list
	}
	if c.nCodes == 1 {
		return constant
	}
	all := a.column(f)
	l := &list{defaultBin: a.defaultBins[f].code, rows: make([]int32, 0, a.defaultBins[f].others), codes: newColumn(WidthOf(c.nCodes), a.defaultBins[f].others)}
	switch all.Bits {
	case U4:
		l.addNibbles(all.u4, a.rows)
	case U8:
		l.addBytes(all.u8)
	default:
		for row := range a.rows {
			if code := all.At(row); code != l.defaultBin {
				l.add(row, code)
			}
		}
	}
	return l
}

// add adds a row behind those before.
func (l *list) add(row int, code uint32) {
	l.codes.put(len(l.rows), code)
	l.rows = append(l.rows, int32(row))
}

// addBytes adds the rows whose codes are outside the default bin, which it looks for eight at a time.
func (l *list) addBytes(codes []uint8) {
	defaultBins, row := uint64(l.defaultBin)*(1<<64/0xff), 0
	for ; row+8 <= len(codes); row += 8 {
		word := binary.LittleEndian.Uint64(codes[row:])
		for others := word ^ defaultBins; others != 0; {
			at := bits.TrailingZeros64(others) &^ 7
			l.add(row+at/8, uint32(uint8(word>>at)))
			others &^= 0xff << at
		}
	}
	for ; row < len(codes); row++ {
		if code := uint32(codes[row]); code != l.defaultBin {
			l.add(row, code)
		}
	}
}

// addNibbles is addBytes for the codes of so many rows, two in a byte and the first of them in its lower half.
func (l *list) addNibbles(codes []byte, rows int) {
	defaultBins, row := uint64(l.defaultBin)*(1<<64/0xf), 0
	for ; row+16 <= rows; row += 16 {
		word := binary.LittleEndian.Uint64(codes[row/2:])
		for others := word ^ defaultBins; others != 0; {
			at := bits.TrailingZeros64(others) &^ 3
			l.add(row+at/4, uint32(word>>at)&15)
			others &^= 0xf << at
		}
	}
	for ; row < rows; row++ {
		if code := uint32(codes[row/2]>>(4*(row&1))) & 15; code != l.defaultBin {
			l.add(row, code)
		}
	}
}

// sparse makes the layout "csr" or "ellpack".
func (a *assembler) sparse(ctx context.Context, layout string) (*Matrix, error) {
	m, err := newFrame(a.rows, a.nCodes)
	if err != nil {
		return nil, err
	}
	if err := a.countDefaultBins(ctx); err != nil {
		return nil, err
	}
	cells := uint64(0)
	for f := range a.defaultBins {
		cells += uint64(a.defaultBins[f].others)
	}
	bytes := csrBytes(a.rows, a.nFeatures(), cells, a.widest())
	if err := a.room(bytes, LayoutCSR); err != nil {
		return nil, err
	}
	lists, err := a.lists(ctx)
	if err != nil {
		return nil, err
	}
	for f := range lists {
		m.locations[f].defaultBin = lists[f].defaultBin
	}
	if m.csr, err = newCSR(ctx, a.rows, lists, a.widest(), a.pool); err != nil {
		return nil, err
	}
	if layout == LayoutCSR {
		if a.keep {
			m.csr.lists = lists
		}
		return m, nil
	}
	longest := m.csr.longestRow(a.rows)
	// One dense row makes all rows as long. The CSR is let go once it is copied.
	if err := a.room(bytes+ellpackBytes(a.rows, longest, m.offsets[len(m.offsets)-1]), LayoutEllpack); err != nil {
		return nil, err
	}
	m.ellpack, err = newEllpack(ctx, m.csr, a.rows, longest, m.offsets, a.pool)
	m.csr = nil
	return m, err
}

// bundles returns the features of each column, nil where every feature has its own or
// where more than limit columns would be needed.
func (a *assembler) bundles(ctx context.Context, limit int) ([][]int, error) {
	if a.params.Bundle == BundleOff || a.params.MissingAs == Mask {
		return nil, nil
	}
	if err := a.countDefaultBins(ctx); err != nil {
		return nil, err
	}
	lists := make([][]int32, a.nFeatures()) // nil for features with a column of their own
	candidates := 0
	for f := range lists {
		if bundle.Share*a.defaultBins[f].others < a.rows && a.nCodes[f] > 1 {
			candidates++
		}
	}
	if candidates < 2 {
		return nil, nil
	}
	err := a.pool.DoContext(ctx, len(lists), parallel.Func(func(_, f int) {
		if bundle.Share*a.defaultBins[f].others < a.rows && a.nCodes[f] > 1 {
			if lists[f] = a.list(f).rows; lists[f] == nil { // no row outside its default bin is no reason for a column of its own
				lists[f] = []int32{}
			}
		}
	}))
	if err != nil {
		return nil, err
	}
	groups, err := bundle.Find(ctx, a.rows, lists, a.nCodes, a.params.BundleConflicts, limit)
	if len(groups) == a.nFeatures() {
		return nil, err
	}
	return groups, err
}

// columns makes a layout by columns; groups lists the features of each, nil for one each.
func (a *assembler) columns(ctx context.Context, groups [][]int) (*Matrix, error) {
	if groups == nil && a.plain != nil && a.params.MissingAs != Mask {
		return a.plain, nil
	}
	m, err := newFrame(a.rows, a.nCodes)
	if err != nil {
		return nil, err
	}
	if groups == nil {
		groups = make([][]int, a.nFeatures())
		for f := range groups {
			groups[f] = []int{f}
		}
	}
	nCodes := a.groupCodes(groups)
	if a.limit > 0 {
		if err := a.countDefaultBins(ctx); err != nil { // to say what CSR would take
			return nil, err
		}
	}
	if err := a.roomForColumns(nCodes); err != nil {
		return nil, err
	}
	m.groups = make([]FeatureGroup, len(groups))
	for u, features := range groups {
		m.groups[u] = FeatureGroup{Features: features, NBins: nCodes[u]}
		first := uint32(1)
		for _, f := range features {
			m.locations[f] = location{group: int32(u), first: first}
			if len(features) > 1 {
				m.locations[f].defaultBin = a.defaultBins[f].code
				first += a.nCodes[f] - 1
			}
		}
	}
	if a.params.MissingAs == Mask {
		m.hideMissing(a.Codes)
	}
	m.allocate(a.params.Storage)
	scratch := make([][]uint32, a.pool.Threads())
	err = a.pool.DoContext(ctx, len(groups), parallel.Func(func(worker, u int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]uint32, a.rows)
		}
		a.fill(m, u, scratch[worker])
	}))
	return m, err
}

// fill writes the codes of one group.
func (a *assembler) fill(m *Matrix, u int, codes []uint32) {
	features := m.groups[u].Features
	if len(features) == 1 {
		c := a.feature(features[0])
		if c.list != nil {
			c.list.expand(codes)
		} else {
			all := a.column(features[0])
			if m.mask == nil && m.groups[u].Bits == all.Bits {
				m.GroupColumn(u).copy(all)
				return
			}
			for row := range codes {
				codes[row] = all.At(row)
			}
		}
		if m.mask != nil {
			a.setMask(m, features[0], codes)
		}
		m.GroupColumn(u).set(codes)
		return
	}
	clear(codes)
	for _, f := range features {
		l, p := a.list(f), m.locations[f]
		for i, row := range l.rows {
			code := l.codes.At(i)
			if code > p.defaultBin {
				code--
			}
			if codes[row] == 0 { // where features conflict the first keeps its code
				codes[row] = p.first + code
			}
		}
	}
	m.GroupColumn(u).set(codes)
}

// expand writes the codes of all rows.
func (l *list) expand(codes []uint32) {
	for row := range codes {
		codes[row] = l.defaultBin
	}
	for i, row := range l.rows {
		codes[row] = l.codes.At(i)
	}
}
