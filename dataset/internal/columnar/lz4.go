package columnar

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"boost/dataset/internal/chunk"

	"github.com/pierrec/lz4/v4"
)

var errLZ4 = errors.New("its LZ4 frame is damaged")

// DecodeLZ4 decompresses LZ4 frames that hold size bytes in all. The reader of pierrec/lz4
// refuses block checksums as polars writes them, so that frames are taken apart here:
//
//	magic (4 bytes), flags, block size, [content size (8)], [dictionary (4)], checksum of these (1)
//	blocks: length (4, the highest bit: stored as it is), data, [checksum (4)]; length 0; [checksum (4)]
//
// Memory is taken as blocks come, not by what the frame claims.
func DecodeLZ4(ctx context.Context, src []byte, size int64) ([]byte, error) {
	out := make([]byte, 0, min(size, max(chunk.ConstantPage, 255*int64(len(src)))))
	for len(src) > 0 {
		var err error
		if out, src, err = lz4Frame(ctx, out, src, size); err != nil {
			return nil, err
		}
	}
	if int64(len(out)) != size {
		return nil, ErrUnpackedSize
	}
	return out, nil
}

// lz4Frame appends the content of one frame and returns what follows it.
func lz4Frame(ctx context.Context, out, src []byte, size int64) (content, left []byte, err error) {
	const magic = 0x184D2204
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != magic || src[4]>>6 != 1 {
		return nil, nil, errLZ4
	}
	flags, header := src[4], 7
	if flags&0x08 != 0 {
		header += 8
	}
	if flags&0x01 != 0 || len(src) < header { // with a dictionary that nobody has here
		return nil, nil, errLZ4
	}
	largest := 1 << (8 + 2*int(src[5]>>4&7))
	src = src[header:]
	start := len(out)
	for {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if len(src) < 4 {
			return nil, nil, errLZ4
		}
		head := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if head == 0 {
			break
		}
		n, check := int(head&0x7FFFFFFF), 4*int(flags>>4&1)
		if n > largest || n+check > len(src) {
			return nil, nil, errLZ4
		}
		if out, err = lz4Block(out, start, src[:n], head>>31 == 1, flags&0x20 == 0, min(int64(largest), size-int64(len(out)))); err != nil {
			return nil, nil, err
		}
		src = src[n+check:]
	}
	if check := 4 * int(flags>>2&1); check <= len(src) {
		return out, src[check:], nil
	}
	return nil, nil, errLZ4
}

// lz4Block appends the content of one block, up to most bytes. A linked block may refer
// to 64 KiB of its frame before it, which begins at out[start].
func lz4Block(out []byte, start int, block []byte, stored, linked bool, most int64) ([]byte, error) {
	if stored {
		if int64(len(block)) > most {
			return nil, ErrUnpackedSize
		}
		return append(out, block...), nil
	}
	n := len(out)
	out = slices.Grow(out, int(most))
	var before []byte
	if linked {
		before = out[max(start, n-64<<10):n]
	}
	size, err := lz4.UncompressBlockWithDict(block, out[n:n+int(most)], before)
	if err != nil {
		return nil, errLZ4
	}
	return out[:n+size], nil
}
