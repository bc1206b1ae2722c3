package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/columnar"
)

// pageKind is the type of a page.
type pageKind int32

const (
	DataPage pageKind = iota
	indexPage
	dictionaryPage
	DataPageV2
)

// parquetEncoding says how the values of a page are written.
type parquetEncoding int32

const (
	encodingPlain             parquetEncoding = 0
	encodingPlainDictionary   parquetEncoding = 2
	encodingRLE               parquetEncoding = 3
	encodingBitPacked         parquetEncoding = 4
	encodingDeltaBinaryPacked parquetEncoding = 5
	encodingDeltaLengthBytes  parquetEncoding = 6
	encodingDeltaBytes        parquetEncoding = 7
	encodingDictionary        parquetEncoding = 8
	encodingByteStreamSplit   parquetEncoding = 9
)

var parquetEncodingNames = [...]string{"PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
	"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}

func (e parquetEncoding) String() string { return columnar.NameAt(parquetEncodingNames[:], int(e)) }

// PageHeader stands before each page.
type PageHeader struct {
	Kind             pageKind
	Packed, Unpacked int64 // bytes
	crc              int64 // −1 if there is none
	Values           int64
	encoding         parquetEncoding
	levels           parquetEncoding // of definition levels; version 1 only
	Definition       int64           // bytes of levels; version 2 only
	Repetition       int64
	Compressed       bool
}

// page is a page taken apart.
type page struct {
	PageHeader
	levelBytes []byte // definition levels in the hybrid form, or nil
	body       []byte // the values, valid until the next page of the column is read
}

func readPageHeader(b []byte) (h PageHeader, size int, ok bool) {
	t := &thrift{b: b}
	h = PageHeader{Kind: -1, Packed: -1, Unpacked: -1, crc: -1, Values: -1, encoding: -1, Compressed: true}
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.Kind = pageKind(t.number(kind))
		case 2:
			h.Unpacked = t.number(kind)
		case 3:
			h.Packed = t.number(kind)
		case 4:
			h.crc = int64(uint32(t.number(kind)))
		case 5, 7:
			t.object(kind, func(field int, kind byte) {
				switch {
				case field == 1:
					h.Values = t.number(kind)
				case field == 2:
					h.encoding = parquetEncoding(t.number(kind))
				case field == 3 && id == 5:
					h.levels = parquetEncoding(t.number(kind))
				default:
					t.skip(kind)
				}
			})
		case 8:
			t.object(kind, func(field int, kind byte) {
				switch field {
				case 1:
					h.Values = t.number(kind)
				case 4:
					h.encoding = parquetEncoding(t.number(kind))
				case 5:
					h.Definition = t.number(kind)
				case 6:
					h.Repetition = t.number(kind)
				case 7:
					h.Compressed = kind == thriftTrue
				default:
					t.skip(kind)
				}
			})
		default:
			t.skip(kind)
		}
	})
	return h, t.i, !t.failed
}

// pageStream reads the pages of one column chunk.
type pageStream struct {
	file  *chunk.Blob
	limit int64 // MemoryLimit
	codec columnar.Codec
	at    int64 // in the file, of what is not in the window yet
	left  int64 // bytes of the chunk from there on
	tools *columnar.Unpacker

	window []byte // of the chunk, read and not used up
	buffer []byte
	body   []byte // of the latest page, decompressed
}

// end gives the buffers back, which no page refers to any more.
func (s *pageStream) end() {
	s.tools.Window, s.tools.Body = s.buffer, s.body
	s.buffer, s.body, s.window = nil, nil, nil
}

// windowSize is how much of a column chunk is read at a time.
const windowSize = 1 << 20

// fill makes n bytes stand in the window, fewer at the end of the chunk.
func (s *pageStream) fill(n int) error {
	if len(s.window) >= n || s.left == 0 {
		return nil
	}
	size := min(int64(max(n, windowSize)), int64(len(s.window))+s.left)
	if int64(cap(s.buffer)) < size {
		s.buffer = make([]byte, size)
	}
	grown := s.buffer[:size]
	kept := copy(grown, s.window)
	more := grown[kept:]
	if n, err := s.file.ReadAt(more, s.at); n < len(more) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	s.at += int64(len(more))
	s.left -= int64(len(more))
	s.window = grown
	return nil
}

// next returns the next page, nil at the end of the chunk. A data page may hold up
// to most values; optional reports whether it has definition levels.
func (s *pageStream) next(most int64, optional bool) (*page, error) {
	var h PageHeader
	var size int
	for try := 4 << 10; ; try *= 16 {
		if err := s.fill(try); err != nil {
			return nil, err
		}
		if len(s.window) == 0 {
			return nil, nil
		}
		var ok bool
		if h, size, ok = readPageHeader(s.window[:min(len(s.window), chunk.LargestHeader)]); ok {
			break
		}
		if try >= chunk.LargestHeader || s.left == 0 && len(s.window) <= try {
			return nil, errors.New("a page's header cannot be understood")
		}
	}
	s.window = s.window[size:]
	if err := h.Check(int64(len(s.window))+s.left, most, s.codec); err != nil {
		return nil, err
	}
	if s.limit > 0 && h.Unpacked > s.limit {
		return nil, chunk.OverLimit(s.file.Name, "page", h.Unpacked, s.limit)
	}
	if err := s.fill(int(h.Packed)); err != nil {
		return nil, err
	}
	raw := s.window[:h.Packed]
	s.window = s.window[h.Packed:]
	if h.crc >= 0 && crc32.ChecksumIEEE(raw) != uint32(h.crc) {
		return nil, errors.New("a page's checksum is wrong")
	}
	return s.open(h, raw, optional)
}

// Check refuses a header whose claims cannot be true, before anything is allocated.
func (h *PageHeader) Check(available, most int64, codec columnar.Codec) error {
	ratio, small := int64(chunk.LargestRatio), int64(0)
	switch codec {
	case columnar.CodecNone:
		ratio = 1
	case columnar.CodecZstd, columnar.CodecBrotli:
		small = chunk.ConstantPage
	}
	if h.Kind == DataPageV2 && !h.Compressed {
		ratio = 1
	}
	switch {
	case h.Packed < 0 || h.Unpacked < 0:
		return errors.New("a page's header lacks its sizes")
	case h.Packed > available:
		return fmt.Errorf("a page claims %d bytes, its column has %d left", h.Packed, available)
	case h.Unpacked > chunk.LargestPage:
		return fmt.Errorf("a page claims %d bytes decompressed; up to %d are read", h.Unpacked, chunk.LargestPage)
	case h.Unpacked > max(ratio*h.Packed, small):
		return fmt.Errorf("a page of %d bytes claims %d bytes decompressed", h.Packed, h.Unpacked)
	case h.Kind == indexPage || h.Kind > DataPageV2:
		return nil // skipped
	case h.Kind < 0 || h.Values < 0 || h.encoding < 0:
		return errors.New("a page's header is incomplete")
	case h.Kind != dictionaryPage && h.Values > most:
		return fmt.Errorf("a page claims %d values, its row group has %d rows left", h.Values, most)
	case h.Kind == dictionaryPage && h.Values > h.Unpacked*8:
		return fmt.Errorf("a dictionary of %d bytes claims %d values", h.Unpacked, h.Values)
	case h.Definition < 0 || h.Repetition < 0 || h.Repetition > min(h.Packed, h.Unpacked)-h.Definition: // without overflow
		return errors.New("a page claims levels longer than itself")
	}
	return nil
}

// open decompresses a page and tells its levels from its values.
func (s *pageStream) open(h PageHeader, raw []byte, optional bool) (*page, error) {
	p := &page{PageHeader: h}
	if h.Kind == indexPage || h.Kind > DataPageV2 {
		return p, nil
	}
	if h.Kind == DataPageV2 {
		levels := h.Definition + h.Repetition
		if optional {
			p.levelBytes = bytes.Clone(raw[h.Repetition:levels])
		}
		raw = raw[levels:]
		h.Unpacked -= levels
	}
	body, err := s.unpack(h, raw)
	if err != nil {
		return nil, err
	}
	p.body = body
	if h.Kind == DataPage && optional {
		return p, p.takeLevels()
	}
	return p, nil
}

func (s *pageStream) unpack(h PageHeader, raw []byte) ([]byte, error) {
	if s.codec == columnar.CodecNone || h.Kind == DataPageV2 && !h.Compressed {
		if int64(len(raw)) != h.Unpacked {
			return nil, fmt.Errorf("an uncompressed page of %d bytes claims %d", len(raw), h.Unpacked)
		}
		return raw, nil
	}
	if h.Unpacked == 0 && len(raw) == 0 {
		return nil, nil // a page without values
	}
	if int64(cap(s.body)) < h.Unpacked {
		s.body = make([]byte, h.Unpacked)
	}
	body := s.body[:h.Unpacked]
	if err := s.tools.Unpack(s.codec, body, raw); err != nil {
		return nil, fmt.Errorf("a page cannot be decompressed (%s): %w", s.codec, err)
	}
	return body, nil
}

// takeLevels cuts the definition levels of a page of version 1 off its values.
func (p *page) takeLevels() error {
	switch p.levels {
	case encodingRLE:
		if len(p.body) < 4 {
			return errors.New("a page is too short for its levels")
		}
		n := int64(uint32(p.body[0]) | uint32(p.body[1])<<8 | uint32(p.body[2])<<16 | uint32(p.body[3])<<24)
		if n > int64(len(p.body)-4) {
			return errors.New("a page claims levels longer than itself")
		}
		p.levelBytes, p.body = p.body[4:4+n], p.body[4+n:]
	case encodingBitPacked: // most significant bit first, as only old writers do
		n := (p.Values + 7) / 8
		if n > int64(len(p.body)) {
			return errors.New("a page is too short for its levels")
		}
		p.levelBytes, p.body = packedLevels(p.body[:n]), p.body[n:]
	default:
		return fmt.Errorf("its levels are written as %s, expected RLE or BIT_PACKED", p.levels)
	}
	return nil
}
