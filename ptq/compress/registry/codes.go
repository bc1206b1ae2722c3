package registry

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"boost/booster/model"
	"boost/ptq"
	"boost/tensorq"
)

// A tensor has the leaves of all trees, each tree's filled up with zeros to whole blocks, so that
// no two trees share a scale: its blocks are those of ptq.QuantizeBlocks but for the zeros. A block is
// as long as the largest tree has leaves, ptq.TierBlock at most.

// leafCounts returns the leaves of each tree.
func leafCounts(m *model.Model) []int {
	trees := m.Contents().Trees
	counts := make([]int, len(trees))
	for i := range trees {
		counts[i] = trees[i].NumLeaves()
	}
	return counts
}

// blockSize is how many values share a scale.
func blockSize(counts []int) int {
	size := 1
	for _, n := range counts {
		size = max(size, min(n, ptq.TierBlock))
	}
	return size
}

// tensorLength is how many values the tensor has; one where there are no leaves.
func tensorLength(counts []int, block int) int {
	n := 0
	for _, leaves := range counts {
		n += (leaves + block - 1) / block * block
	}
	return max(n, 1)
}

// spread writes leaves to the tensor that they are in.
func spread(leaves []float64, counts []int, block int, out []float32) {
	clear(out)
	at := 0
	for _, n := range counts {
		for i, x := range leaves[:n] {
			out[at+i] = float32(x)
		}
		leaves = leaves[n:]
		at += (n + block - 1) / block * block
	}
}

// sumOf is what the store calls Info.Sum.
func sumOf(values []float32) uint32 {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return crc32.Checksum(b, castagnoli)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The header of a segment of blocks, as docs/format.md has it.
const (
	segmentBits  = 5
	segmentBlock = 6
	segmentCount = 14
	segmentModes = 18
)

// gather returns the leaves that a tensor's codes stand for, in the form that files have.
func gather(segment []byte, counts []int) (ptq.Values, error) {
	r := tensorq.SegmentReader{}
	if err := r.ResetBytes(segment); err != nil {
		return nil, err
	}
	bits, block := int(segment[segmentBits]), int(binary.LittleEndian.Uint32(segment[segmentBlock:]))
	form, ok := forms[bits]
	if h := r.Header(); h.Version != tensorq.SegmentBlocks || !ok || block < 1 || block > ptq.TierBlock {
		return nil, fmt.Errorf("codes of %d bits in blocks of %d, in a segment of version %d: expected blocks of at most %d", bits, block, h.Version, ptq.TierBlock)
	}
	want, total := tensorLength(counts, block), 0
	if h := r.Header(); h.Values() != want {
		return nil, fmt.Errorf("codes of %d values in blocks of %d: expected %d", h.Values(), block, want)
	}
	blocks := int(binary.LittleEndian.Uint32(segment[segmentCount:]))
	data := segment[segmentModes+(blocks+7)/8+4:]
	var native []byte
	var b tensorq.QuantizedBlock
	for _, n := range counts {
		for left := n; left > 0; left -= block {
			took, err := tensorq.DecodeBlock(data, block, bits, false, &b)
			if err != nil {
				return nil, err
			}
			data = data[took:]
			b.Codes = b.Codes[:min(left, block)]
			if native, err = tensorq.AppendBlock(native, &b); err != nil {
				return nil, err
			}
		}
		total += n
	}
	bounds, err := model.Groups(model.GroupTree, counts, 1)
	if err != nil {
		return nil, err
	}
	return ptq.RestoreBlocks(form, total, bounds, native)
}

// skeleton returns the bytes of a narrowed model whose leaves are zeros of 1 bit: what stays of a
// model when its leaves are taken away.
func skeleton(narrow *model.Model, sha string) ([]byte, error) {
	zeros := make([]float64, len(narrow.Leaves()))
	values, err := ptq.Encode(ptq.FormOf(ptq.Binary), ptq.Calibration{}, zeros, nil)
	if err != nil {
		return nil, err
	}
	m, err := calibrated(narrow, model.Compression{Leaves: values, Grouping: model.GroupModel, Source: sha})
	if err != nil {
		return nil, err
	}
	return m.Encode()
}

// dress returns the compressed model that a structure and codes make.
func dress(structure, segment []byte, about *aboutModel) (*model.Model, error) {
	bare, err := model.Decode(structure)
	if err != nil {
		return nil, err
	}
	values, err := gather(segment, leafCounts(bare))
	if err != nil {
		return nil, err
	}
	z := model.Compression{Leaves: values, Grouping: model.GroupBlock, Source: about.SHA}
	if c := about.certificate(values.Form().Bits()); c != nil {
		if z.Certificate, err = c.json(); err != nil {
			return nil, err
		}
	}
	return calibrated(bare, z)
}

// calibrated returns a compressed model that keeps the calibration and intervals of the model that it is made of: a tier
// changes raw scores within its bounds, not what they mean.
func calibrated(m *model.Model, z model.Compression) (*model.Model, error) {
	small, err := m.Compress(z)
	if err != nil {
		return nil, err
	}
	return small.WithTrust(m.Trust())
}
