package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"boost/tree"
)

// State is what a run has to know to go on as if it had never stopped.
type State struct {
	// Settings is what the bytes of the model follow from, by name. A run goes on only from a state
	// with its own.
	Settings map[string]json.RawMessage `json:"settings"`
	Rounds   int                        `json:"rounds"`  // that the run has grown
	Last     int                        `json:"last"`    // round that the run was to end with
	Outputs  int                        `json:"outputs"` // trees of a round
	Ended    bool                       `json:"ended"`   // by early stopping
	// BestRound and BestValue are those of early stopping: rounds, those of a base model
	// included, and the bits of a float64. BestRound is 0 where there is none.
	BestRound int             `json:"best_round"`
	BestValue uint64          `json:"best_value"`
	Wide      json.RawMessage `json:"wide"`                // rounds of wider gradients, as the model has them
	Positions []uint64        `json:"positions,omitempty"` // bits of the biases of positions
	Columns   int             `json:"columns"`             // of History
	Lengths   []int           `json:"lengths"`             // of Scores

	// Trees have their leaf values as they are in training. Trees of a base model are not in it.
	Trees []tree.Tree `json:"-"`
	// History is one list for each set and metric, with a value for each round; NaN where there is none.
	History [][]float64 `json:"-"`
	// Scores are raw scores of sets of rows, as many lists as a run has use for.
	Scores [][]float64 `json:"-"`
}

// ErrDamaged is wrapped by errors about bytes that are no whole checkpoint.
var ErrDamaged = errors.New("is damaged")

// The file, little-endian:
//
//	offset size
//	0      16   "boost checkpoint"
//	16     4    version
//	20     4    J, bytes of the state
//	24     8    bytes of the file
//	32     J    the state as JSON
//	…           Rounds · Outputs trees, each:
//	       4      S, split nodes
//	       4      C, category sets
//	       4      N, codes of all sets
//	       4      1 with statistics, plus 2 with linear leaves
//	       4      K, coefficients, of a tree with linear leaves
//	       4·S    feature            4·S  code
//	       4·S    left child         4·S  right child
//	       S      bit 0 categorical, bit 1 missing rows go left
//	       4·C    end of each set    4·N  codes of the sets
//	       8·S+8  leaf values
//	       4·S+4  end of the coefficients of each leaf   8·S+8 constants   4·K features   8·K coefficients, with linear leaves
//	       4·S    gain, 8·S cover, 8·S+8 covers of leaves, if there are statistics
//	…      8·R  for each of Columns: a value of each round
//	…      8·…  the scores, list by list, of Lengths
//	…      4    CRC-32C of all that stands before
const (
	magic   = "boost checkpoint"
	version = 1
	head    = 32
	treeTop = 16

	withStatistics = 1
	withLinear     = 2
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Encode returns the bytes of a checkpoint of the state.
func (s *State) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := s.write(&b)
	return b.Bytes(), err
}

// Decode returns the state of the bytes of a checkpoint.
func Decode(b []byte) (*State, error) { return read(b) }

// Known returns a metric by round as a state has it.
func Known(values []*float64) []float64 {
	known := make([]float64, len(values))
	for i, v := range values {
		if known[i] = math.NaN(); v != nil {
			known[i] = *v
		}
	}
	return known
}

// Values is the inverse of Known.
func Values(known []float64) []*float64 {
	values := make([]*float64, len(known))
	for i, v := range known {
		if !math.IsNaN(v) {
			values[i] = &v
		}
	}
	return values
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// treeBytes returns the bytes of a tree with so many split nodes, sets, codes of sets and coefficients.
func treeBytes(splits, sets, codes, coefs int, statistics bool) int {
	n := treeTop + 17*splits + 4*sets + 4*codes + 8*(splits+1)
	if coefs > 0 {
		n += 4 + 12*(splits+1) + 12*coefs
	}
	if statistics {
		n += 12*splits + 8*(splits+1)
	}
	return n
}

// write writes the file.
func (s *State) write(w io.Writer) error {
	s.Columns, s.Lengths = len(s.History), make([]int, len(s.Scores))
	floats := s.Rounds * len(s.History)
	for i, scores := range s.Scores {
		s.Lengths[i] = len(scores)
		floats += len(scores)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	size := head + len(text) + 8*floats + 4
	for i := range s.Trees {
		t := &s.Trees[i]
		size += treeBytes(t.NumSplits(), t.NumSets(), len(t.Sets), t.NumCoefs(), !t.NoStatistics())
	}
	sum := crc32.New(castagnoli)
	both := io.MultiWriter(w, sum)
	b := append(make([]byte, 0, 64<<10), magic...)
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, uint32(len(text)))
	b = le.AppendUint64(b, uint64(size))
	b = append(b, text...)
	flush := func() error {
		_, err := both.Write(b)
		b = b[:0]
		return err
	}
	for i := range s.Trees {
		if b = appendTree(b, &s.Trees[i]); len(b) > 32<<10 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	for _, values := range slices.Concat(s.History, s.Scores) {
		for part := range slices.Chunk(values, 4096) {
			b = appendFloats(b, part)
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	_, err = w.Write(le.AppendUint32(nil, sum.Sum32()))
	return err
}

func appendTree(b []byte, t *tree.Tree) []byte {
	with := uint32(0)
	if !t.NoStatistics() {
		with |= withStatistics
	}
	if t.Linear != nil {
		with |= withLinear
	}
	b = le.AppendUint32(b, uint32(t.NumSplits()))
	b = le.AppendUint32(b, uint32(t.NumSets()))
	b = le.AppendUint32(b, uint32(len(t.Sets)))
	b = le.AppendUint32(b, with)
	if t.Linear != nil {
		b = le.AppendUint32(b, uint32(t.NumCoefs()))
	}
	b = appendNumbers(b, t.Feature)
	b = appendNumbers(b, t.Code)
	b = appendNumbers(b, t.Left)
	b = appendNumbers(b, t.Right)
	for n := range t.NumSplits() {
		flags := byte(0)
		if t.Categorical[n] {
			flags |= 1
		}
		if t.MissingLeft[n] {
			flags |= 2
		}
		b = append(b, flags)
	}
	if t.NumSets() > 0 {
		b = appendNumbers(b, t.SetPtrs[1:])
	}
	b = appendNumbers(b, t.Sets)
	b = appendFloats(b, t.Leaf)
	if l := t.Linear; l != nil {
		b = appendFloats(appendNumbers(b, l.Ptrs[1:]), l.Const)
		b = appendFloats(appendNumbers(b, l.Feature), l.Coef)
	}
	if t.NoStatistics() {
		return b
	}
	for _, g := range t.Gain {
		b = le.AppendUint32(b, math.Float32bits(g))
	}
	return appendFloats(appendFloats(b, t.Cover), t.LeafCover)
}

func appendNumbers[T int32 | uint32](b []byte, numbers []T) []byte {
	for _, n := range numbers {
		b = le.AppendUint32(b, uint32(n))
	}
	return b
}

func appendFloats(b []byte, values []float64) []byte {
	for _, v := range values {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// read returns the state of a file. Trees are not checked further: see tree.Validate.
func read(b []byte) (*State, error) {
	switch {
	case len(b) < head+4 || string(b[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: it does not begin as checkpoints do", ErrDamaged)
	case le.Uint32(b[16:]) != version:
		return nil, fmt.Errorf("%w, or of another version of this program: it has version %d, expected %d", ErrDamaged, le.Uint32(b[16:]), version)
	case le.Uint64(b[24:]) != uint64(len(b)):
		return nil, fmt.Errorf("%w: it has %d bytes instead of %d", ErrDamaged, len(b), le.Uint64(b[24:]))
	}
	body, sum := b[:len(b)-4], le.Uint32(b[len(b)-4:])
	if checksum(body) != sum {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	r := &reader{rest: body[head:]}
	s := &State{}
	if err := json.Unmarshal(r.take(int(le.Uint32(b[20:]))), s); err != nil {
		return nil, fmt.Errorf("%w: its state: %w", ErrDamaged, err)
	}
	// A tree takes more than 16 bytes: what is made for them cannot exceed the file.
	room := len(r.rest)
	if s.Rounds < 0 || s.Outputs < 1 || s.Columns < 0 || s.Columns > len(b) ||
		s.Rounds > 0 && (s.Outputs > room/treeTop/s.Rounds || s.Columns > room/8/s.Rounds) {
		return nil, fmt.Errorf("%w: %d rounds of %d trees and %d metrics do not fit in it", ErrDamaged, s.Rounds, s.Outputs, s.Columns)
	}
	s.Trees = make([]tree.Tree, s.Rounds*s.Outputs)
	for i := range s.Trees {
		s.Trees[i] = r.tree()
	}
	s.History = make([][]float64, s.Columns)
	for i := range s.History {
		s.History[i] = r.floats(s.Rounds)
	}
	for _, n := range s.Lengths {
		s.Scores = append(s.Scores, r.floats(n))
	}
	if r.short || len(r.rest) > 0 {
		return nil, fmt.Errorf("%w: its parts do not fill it", ErrDamaged)
	}
	return s, nil
}

// reader takes a file apart. Past its end it gives nothing, and notes that.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) tree() tree.Tree {
	top := r.take(treeTop)
	if top == nil {
		return tree.Tree{}
	}
	splits, sets, codes, with := int(le.Uint32(top)), int(le.Uint32(top[4:])), int(le.Uint32(top[8:])), le.Uint32(top[12:])
	coefs, read := 0, treeTop
	if with&withLinear != 0 {
		for _, n := range numbers[uint32](r, 1) {
			coefs = int(n)
		}
		read += 4
	}
	if coefs == 0 && with&withLinear != 0 || treeBytes(splits, sets, codes, coefs, with&withStatistics != 0)-read > len(r.rest) {
		r.short = true
		return tree.Tree{}
	}
	t := tree.Tree{
		Feature: numbers[int32](r, splits), Code: numbers[uint32](r, splits),
		Left: numbers[int32](r, splits), Right: numbers[int32](r, splits),
		Categorical: make([]bool, splits), MissingLeft: make([]bool, splits),
	}
	for n, flags := range r.take(splits) {
		t.Categorical[n], t.MissingLeft[n] = flags&1 != 0, flags&2 != 0
	}
	if sets > 0 {
		t.SetPtrs = append([]uint32{0}, numbers[uint32](r, sets)...)
	}
	t.Sets = numbers[uint32](r, codes)
	t.Leaf = r.floats(splits + 1)
	if coefs > 0 {
		ptrs, constants := append([]uint32{0}, numbers[uint32](r, splits+1)...), r.floats(splits+1)
		t.Linear = &tree.Linear{Ptrs: ptrs, Const: constants, Feature: numbers[int32](r, coefs), Coef: r.floats(coefs)}
	}
	if with&withStatistics == 0 {
		return t
	}
	t.Gain = make([]float32, splits)
	for i, bits := range numbers[uint32](r, splits) {
		t.Gain[i] = math.Float32frombits(bits)
	}
	t.Cover, t.LeafCover = r.floats(splits), r.floats(splits+1)
	return t
}

func numbers[T int32 | uint32](r *reader, n int) []T {
	b := r.take(4 * n)
	list := make([]T, len(b)/4)
	for i := range list {
		list[i] = T(le.Uint32(b[4*i:]))
	}
	return list
}

func (r *reader) floats(n int) []float64 {
	b := r.take(8 * n)
	values := make([]float64, len(b)/8)
	for i := range values {
		values[i] = math.Float64frombits(le.Uint64(b[8*i:]))
	}
	return values
}
