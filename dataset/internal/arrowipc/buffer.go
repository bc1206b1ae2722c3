package arrowipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"

	"github.com/klauspost/compress/zstd"
)

// load reads the buffers of a column and checks that they hold what they have to.
func (f *Layout) load(ctx context.Context, b *arrowBatch, c *arrowColumn, first, node int) (*arrowValues, error) {
	v := &arrowValues{column: c, rows: b.rows}
	if n := int64(binary.LittleEndian.Uint64(b.nodes[16*node:])); n != int64(b.rows) {
		return nil, fmt.Errorf("it has %d values in a batch of %d rows", n, b.rows)
	}
	if c.store == storeNone {
		return v, nil
	}
	nulls := int64(binary.LittleEndian.Uint64(b.nodes[16*node+8:]))
	var err error
	if nulls != 0 {
		if v.valid, err = f.buffer(ctx, b, first, int64(b.rows+7)/8); err != nil {
			return nil, err
		}
	}
	need := int64(0)
	switch c.store {
	case storeBits:
		need = int64(b.rows+7) / 8
	case storeFixed:
		need = int64(b.rows) * int64(c.width)
	case storeText:
		need = int64(b.rows+1) * 4
	case storeLarge:
		need = int64(b.rows+1) * 8
	case storeViews:
		need = int64(b.rows) * 16
	}
	if b.rows == 0 {
		need = 0
	}
	if v.fixed, err = f.buffer(ctx, b, first+1, need); err != nil {
		return nil, err
	}
	switch c.store {
	case storeText, storeLarge:
		if v.data, err = f.buffer(ctx, b, first+2, -1); err == nil {
			err = v.checkOffsets()
		}
	case storeViews:
		n := int(binary.LittleEndian.Uint64(b.views[8*c.view:]))
		total := int64(0) // buffers may lie over each other, and all stay in memory
		for i := 0; i < n && err == nil; i++ {
			var data []byte
			data, err = f.buffer(ctx, b, first+2+i, -1)
			v.views = append(v.views, data)
			if total += int64(len(data)); err == nil && total > mostUnpacked(-1, b.size) {
				err = fmt.Errorf("a batch of %d bytes claims text of more than %d bytes", b.size, mostUnpacked(-1, b.size))
			}
		}
	}
	return v, err
}

// buffer reads a buffer, and decompresses it: need is what it has to hold at least, and
// nearly at most; −1 leaves it open.
func (f *Layout) buffer(ctx context.Context, b *arrowBatch, i int, need int64) ([]byte, error) {
	at, err := b.buffer(i)
	if err != nil {
		return nil, err
	}
	if !b.packed && need >= 0 {
		at.size = min(at.size, need)
	}
	if !b.packed && at.size < need {
		return nil, fmt.Errorf("a buffer has %d bytes, its values take %d", at.size, need)
	}
	raw := make([]byte, at.size)
	if _, err := f.File.ReadAt(raw, at.at); err != nil && len(raw) > 0 {
		return nil, err
	}
	if b.packed {
		return f.UnpackBuffer(ctx, b.codec, raw, need)
	}
	return raw, nil
}

// UnpackBuffer decompresses a buffer: int64 length, −1 if it is not compressed; data.
func (f *Layout) UnpackBuffer(ctx context.Context, codec columnar.Codec, raw []byte, need int64) ([]byte, error) {
	if len(raw) == 0 {
		if need > 0 {
			return nil, errors.New("a buffer is empty")
		}
		return nil, nil
	}
	if len(raw) < 8 {
		return nil, errors.New("a compressed buffer is cut off")
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 {
		if int64(len(raw)) < need {
			return nil, fmt.Errorf("a buffer has %d bytes, its values take %d", len(raw), need)
		}
		return raw, nil
	}
	if size < 0 || size < need || size > math.MaxInt32*8 {
		return nil, fmt.Errorf("a buffer claims %d bytes decompressed, its values take %d", size, need)
	}
	if most := mostUnpacked(need, int64(len(raw))); size > most {
		return nil, fmt.Errorf("a buffer of %d bytes claims %d bytes decompressed; up to %d are read", len(raw), size, most)
	}
	if f.MemoryLimit > 0 && size > f.MemoryLimit {
		return nil, chunk.OverLimit(f.File.Name, "buffer", size, f.MemoryLimit)
	}
	if codec == columnar.CodecLZ4 {
		return columnar.DecodeLZ4(ctx, raw, size)
	}
	z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(chunk.ZstdWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return readClaimed(ctx, z, size, int64(len(raw)))
}

// mostUnpacked returns how many bytes a packed buffer may hold: what its values take and
// some padding, or, where that is not known (need is −1), as much as text is packed to.
func mostUnpacked(need, packed int64) int64 {
	if need >= 0 {
		return need + chunk.ConstantPage
	}
	return max(chunk.LargestPage, chunk.LargestRatio*packed)
}

// readClaimed reads exactly size bytes. It takes memory at once for what the packed
// bytes can be believed to hold, and for more as it comes.
func readClaimed(ctx context.Context, r io.Reader, size, packed int64) ([]byte, error) {
	room := min(size, max(chunk.ConstantPage, chunk.LargestRatio*packed))
	out := make([]byte, 0, room)
	for int64(len(out)) < size {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(out) == cap(out) {
			out = slices.Grow(out, int(min(size-int64(len(out)), int64(len(out)))))
		}
		n, err := r.Read(out[len(out):min(int64(cap(out)), size)])
		out = out[:len(out)+n]
		if err != nil && int64(len(out)) < size {
			if err == io.EOF {
				err = columnar.ErrUnpackedSize
			}
			return nil, fmt.Errorf("a buffer cannot be decompressed: %w", err)
		}
	}
	return out, columnar.ReadExactly(r, nil)
}
