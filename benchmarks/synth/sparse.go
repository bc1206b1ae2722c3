package synth

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"boost/internal/rng"
	"boost/parallel"
)

// The kinds of sparse tables.
const (
	// SparseValues: about 25 cells a row whatever the width, real values in (-1, 1) of four
	// decimals. 200 columns, which the label depends on, have a sixth of the cells; the
	// others are alike.
	SparseValues = "sparse-values"
	// SparseCounts: as many cells, small counts, columns of very different popularity
	// (the share of the column of rank r falls with 1/(r+10)), as words in texts.
	SparseCounts = "sparse-counts"
	// OneHot: 20 categorical columns with skewed levels, each level a 0/1 column.
	OneHot = "onehot"
)

// SparseKinds lists the kinds in the order of documents.
func SparseKinds() []string { return []string{SparseValues, SparseCounts, OneHot} }

// ErrKind marks the name of a table that is none of SparseKinds.
var ErrKind = errors.New("unknown kind of table")

const (
	sparsePurpose = purpose + 1
	cellsPerRow   = 25  // on average; 15 … 35
	informative   = 200 // columns that the label depends on, or fewer where there are fewer
	stepping      = 7919
	rankOffset    = 10
)

// levelsOf are the numbers of levels of the OneHot kind's columns at a width of 1,000;
// other widths scale them.
var levelsOf = [...]int{10, 10, 10, 12, 15, 15, 20, 20, 25, 30, 35, 40, 45, 50, 60, 70, 90, 110, 133, 200}

// Cell is a stored cell of a row: its column, from 0, and its value in units of
// the kind's Unit.
type Cell struct{ Column, Value int }

// SparseGenerator makes rows of a sparse table with a binary label.
type SparseGenerator struct {
	kind    string
	columns int
	shape   uint64 // key of what belongs to columns: weights, effects
	cells   uint64 // key of what belongs to rows
	starts  []int  // OneHot: first column of each categorical column, then the width
}

// NewSparseGenerator returns the generator of tables of that kind with the given number
// of columns: at least 300 (40 for OneHot).
func NewSparseGenerator(kind string, seed uint64, columns int) (*SparseGenerator, error) {
	number := slices.Index(SparseKinds(), kind)
	least := 300
	switch {
	case number < 0:
		return nil, fmt.Errorf("%w: %q; there are %q", ErrKind, kind, SparseKinds())
	case kind == OneHot:
		least = 2 * len(levelsOf)
	}
	if columns < least || columns > math.MaxInt32 || columns%stepping == 0 {
		return nil, fmt.Errorf("%d columns: a table of kind %s has at least %d, no multiple of %d", columns, kind, least, stepping)
	}
	g := &SparseGenerator{kind: kind, columns: columns,
		shape: rng.Key(seed, sparsePurpose, uint64(number), 0), cells: rng.Key(seed, sparsePurpose, uint64(number), 1)}
	if kind == OneHot {
		g.starts = spread(columns)
	}
	return g, nil
}

// spread shares columns out to the categorical columns in the proportion of levelsOf,
// two levels at least; the last takes what rounding leaves.
func spread(columns int) []int {
	starts := make([]int, len(levelsOf)+1)
	total := 0
	for _, n := range levelsOf {
		total += n
	}
	for i, n := range levelsOf {
		starts[i+1] = starts[i] + max(2, n*columns/total)
	}
	starts[len(levelsOf)] = columns
	return starts
}

// Columns returns the number of feature columns.
func (g *SparseGenerator) Columns() int { return g.columns }

// Unit is what a Cell's Value counts: 1, or 0.0001.
func (g *SparseGenerator) Unit() float64 {
	if g.kind == SparseValues {
		return 0.0001
	}
	return 1
}

// Row appends the cells of a row to cells, columns ascending, and returns them with its
// label.
func (g *SparseGenerator) Row(row int, cells []Cell) ([]Cell, byte) {
	key := rng.Draw(g.cells, uint64(row))
	first := len(cells)
	var signal float64
	switch g.kind {
	case OneHot:
		cells, signal = g.levels(key, cells)
	default:
		cells = g.scatter(key, cells)
		signal = g.weigh(cells[first:])
	}
	if signal+float64(0.8*bell(rng.Draw(key, noiseDraw))) > 0 {
		return cells, 1
	}
	return cells, 0
}

const (
	noiseDraw = 1<<20 + iota
	lengthDraw
)

// levels appends one cell of value 1 for each categorical column.
func (g *SparseGenerator) levels(key uint64, cells []Cell) ([]Cell, float64) {
	var at [len(levelsOf)]int
	signal := 0.0
	for i := range at {
		n := g.starts[i+1] - g.starts[i]
		u := rng.Unit(rng.Draw(key, uint64(i)))
		at[i] = g.starts[i] + int(float64(n)*float64(u*u))
		cells = append(cells, Cell{at[i], 1})
		signal += float64(0.3 * bell(rng.Draw(g.shape, uint64(at[i]))))
	}
	// Two pairs of columns whose levels matter together.
	for _, pair := range [...][2]int{{3, 7}, {9, 14}} {
		joint := uint64(at[pair[0]])<<32 | uint64(at[pair[1]])
		signal += float64(0.5 * bell(rng.Draw(g.shape, joint)))
	}
	return cells, signal
}

// scatter appends 15 … 35 cells, fewer where two fall into the same column.
func (g *SparseGenerator) scatter(key uint64, cells []Cell) []Cell {
	first := len(cells)
	n := cellsPerRow - 10 + int(rng.Draw(key, lengthDraw)%21)
	for i := range n {
		where, what := rng.Draw(key, uint64(2*i)), rng.Draw(key, uint64(2*i+1))
		if g.kind == SparseCounts {
			cells = append(cells, Cell{g.columnOfRank(g.rank(rng.Unit(where))), count(what)})
			continue
		}
		column := int(where>>8) % g.columns
		if where&0xff < 256/6 {
			column = g.columnOfRank(int(where>>8) % min(informative, g.columns))
		}
		value := 1 + int(what%9999)
		if column%2 == 1 && what>>63 == 1 {
			value = -value
		}
		cells = append(cells, Cell{column, value})
	}
	row := cells[first:]
	slices.SortStableFunc(row, func(a, b Cell) int { return a.Column - b.Column })
	row = slices.CompactFunc(row, func(a, b Cell) bool { return a.Column == b.Column })
	return cells[:first+len(row)]
}

// rank maps a uniform number to a column's rank by popularity.
func (g *SparseGenerator) rank(u float64) int {
	r := float64(rankOffset*math.Pow(float64(g.columns)/rankOffset+1, u)) - rankOffset
	return min(max(int(r), 0), g.columns-1)
}

// columnOfRank scatters the ranks over the columns, one to one: stepping is a prime that
// does not divide their number.
func (g *SparseGenerator) columnOfRank(rank int) int { return rank * stepping % g.columns }

// count maps a draw to 1 … 5; each is about 0.4 times as frequent as the one before.
func count(draw uint64) int {
	u, n := rng.Unit(draw), 1
	for limit := 0.6; u >= limit && n < 5; n++ {
		limit += float64((1 - limit) * 0.6)
	}
	return n
}

// weigh is the label's signal: a weight per informative column by the cell's size, and a
// bonus where two neighbouring informative columns meet.
func (g *SparseGenerator) weigh(row []Cell) float64 {
	signal, last := 0.0, -1
	for _, c := range row {
		rank := g.informativeRank(c.Column)
		if rank < 0 {
			continue
		}
		weight := 1.2 * bell(rng.Draw(g.shape, uint64(rank)))
		size := float64(c.Value)
		if g.kind == SparseValues {
			size = 0.5 + float64(float64(c.Value)*0.0002)
		}
		signal += float64(weight * size)
		if last >= 0 {
			signal += float64(0.4 * bell(rng.Draw(g.shape, uint64(last)<<32|uint64(rank))))
		}
		last = rank
	}
	return signal
}

// informativeRank returns the number of an informative column, -1 for the others. In
// SparseCounts every fifth of the frequent columns is one, else the first of the ranks.
func (g *SparseGenerator) informativeRank(column int) int {
	rank := g.rankOfColumn(column)
	switch {
	case g.kind == SparseCounts && rank < 5*informative && rank%5 == 0:
		return rank / 5
	case g.kind == SparseValues && rank < min(informative, g.columns):
		return rank
	}
	return -1
}

// rankOfColumn is the inverse of columnOfRank.
func (g *SparseGenerator) rankOfColumn(column int) int {
	inverse := modularInverse(stepping%g.columns, g.columns)
	return int(int64(column) * int64(inverse) % int64(g.columns))
}

// modularInverse returns x with a·x ≡ 1 mod m, for a and m without a common factor.
func modularInverse(a, m int) int {
	x, y := 1, 0
	for b := m; b != 0; {
		q := a / b
		a, b = b, a-q*b
		x, y = y, x-q*y
	}
	return (x%m + m) % m
}

// Fingerprint returns 64 hex digits that change when the rows do.
func (g *SparseGenerator) Fingerprint() string {
	sum := sha256.Sum256(g.block(0, 1000).text)
	return hex.EncodeToString(sum[:])
}

// appendRow appends a row as LibSVM with indices from 1.
func (g *SparseGenerator) appendRow(b []byte, cells []Cell, label byte) []byte {
	b = append(b, '0'+label)
	for _, c := range cells {
		b = strconv.AppendInt(append(b, ' '), int64(c.Column+1), 10)
		b = append(b, ':')
		if g.kind == SparseValues {
			b = appendDecimals(b, c.Value)
		} else {
			b = strconv.AppendInt(b, int64(c.Value), 10)
		}
	}
	return append(b, '\n')
}

// appendDecimals appends v/10,000 for |v| < 10,000.
func appendDecimals(b []byte, v int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	b = append(b, '0', '.', 0, 0, 0, 0)
	for i := 1; i <= 4; i++ {
		b[len(b)-i] = '0' + byte(v%10)
		v /= 10
	}
	return b
}

// The files of a sparse table in its folder, beside TrainY and TestY: the rows as LibSVM
// with indices from 1, and the same as the three arrays of SciPy's CSR with columns from 0.
const (
	TrainSVM = "train.svm"
	TestSVM  = "test.svm"

	csrValues  = "_values.npy"
	csrColumns = "_columns.npy"
	csrStarts  = "_starts.npy"
)

// Write makes the files of a table in folder: rows 0 … train-1 for training, the next
// test rows for testing. All of them are written whether or not text is asked for.
func (g *SparseGenerator) Write(folder string, train, test int, _ bool, pool *parallel.Pool) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if err := g.writePart(folder, TrainSVM, TrainY, 0, train, pool); err != nil {
		return err
	}
	return g.writePart(folder, TestSVM, TestY, train, train+test, pool)
}

// writePart writes rows lo … hi-1 in every form.
func (g *SparseGenerator) writePart(folder, svm, labels string, lo, hi int, pool *parallel.Pool) error {
	part := strings.TrimSuffix(svm, ".svm")
	files, err := createAll(folder, svm, labels, part+csrValues, part+csrColumns, part+csrStarts)
	if err != nil {
		return err
	}
	text, y := files[svm], files[labels]
	values, columns, starts := files[part+csrValues], files[part+csrColumns], files[part+csrStarts]
	y.write(npyHeader(floats, hi-lo))
	starts.write(npyHeader(integers, hi-lo+1))
	starts.write(make([]byte, 4))
	// How many cells there are is known at the end; a header has the same length for all.
	values.write(npyHeader(floats, 0))
	columns.write(npyHeader(integers, 0))
	cells := 0
	blocks := make([]sparseBlock, pool.Threads())
	for lo < hi && text.err == nil {
		n := min(len(blocks), (hi-lo+chunkRows-1)/chunkRows)
		pool.Do(n, parallel.Func(func(_, i int) {
			from := lo + i*chunkRows
			blocks[i] = g.block(from, min(from+chunkRows, hi))
		}))
		for _, b := range blocks[:n] {
			text.write(b.text)
			y.write(appendFloats(nil, b.labels))
			values.write(b.values)
			columns.write(b.columns)
			for _, length := range b.lengths {
				cells += length
				starts.write(binary.LittleEndian.AppendUint32(nil, uint32(cells)))
			}
		}
		lo += n * chunkRows
	}
	if cells > math.MaxInt32 {
		text.err = fmt.Errorf("%d cells in %s: SciPy's 32-bit indices end at %d", cells, svm, math.MaxInt32)
	}
	values.rewind(npyHeader(floats, cells))
	columns.rewind(npyHeader(integers, cells))
	return closeAll(files)
}

// sparseBlock is a block of rows in every form.
type sparseBlock struct {
	text, values, columns []byte
	lengths               []int
	labels                []float32
}

func (g *SparseGenerator) block(lo, hi int) sparseBlock {
	var b sparseBlock
	var cells []Cell
	for row := lo; row < hi; row++ {
		var label byte
		cells, label = g.Row(row, cells[:0])
		b.text = g.appendRow(b.text, cells, label)
		b.labels = append(b.labels, float32(label))
		b.lengths = append(b.lengths, len(cells))
		for _, c := range cells {
			b.columns = binary.LittleEndian.AppendUint32(b.columns, uint32(c.Column))
			value := float32(float64(c.Value) * g.Unit())
			b.values = binary.LittleEndian.AppendUint32(b.values, math.Float32bits(value))
		}
	}
	return b
}
