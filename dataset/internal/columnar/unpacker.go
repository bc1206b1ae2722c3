package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Unpacker decompresses pages; it belongs to one worker.
type Unpacker struct {
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder

	Window, Body []byte // that no page stream uses
}

func (u *Unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

var ErrUnpackedSize = errors.New("it holds another number of bytes than its header says")

// Unpack fills dst, which has the size that the data has to have.
func (u *Unpacker) Unpack(codec Codec, dst, src []byte) error {
	switch codec {
	case CodecSnappy:
		n, err := snappy.DecodedLen(src)
		if err == nil && n != len(dst) {
			err = ErrUnpackedSize
		}
		if err == nil {
			_, err = snappy.Decode(dst, src)
		}
		return err
	case CodecZstd:
		return u.unzstd(dst, src)
	case CodecLZ4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		if err == nil && n != len(dst) {
			err = ErrUnpackedSize
		}
		return err
	case CodecGzip:
		var err error
		if u.gzip == nil {
			u.gzip, err = gzip.NewReader(bytes.NewReader(src))
		} else {
			err = u.gzip.Reset(bytes.NewReader(src))
		}
		if err != nil {
			return err
		}
		return ReadExactly(u.gzip, dst)
	case CodecBrotli:
		if u.brotli == nil {
			u.brotli = brotli.NewReader(nil)
		}
		if err := u.brotli.Reset(bytes.NewReader(src)); err != nil {
			return err
		}
		return ReadExactly(u.brotli, dst)
	}
	return fmt.Errorf("the codec is not known")
}

func (u *Unpacker) unzstd(dst, src []byte) error {
	if u.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
		u.zstd = z
	}
	out, err := u.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(out) != len(dst) {
		err = ErrUnpackedSize
	}
	return err
}

// ReadExactly fills dst and makes sure that nothing follows.
func ReadExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); err {
	case io.EOF:
		return nil
	case nil:
		return ErrUnpackedSize
	default:
		return err
	}
}
