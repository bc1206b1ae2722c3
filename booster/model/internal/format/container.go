package format

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// FormatVersion is the version of the `.boost` container of full models.
const FormatVersion = 1

const (
	magic      = "BOOST\r\n\x1a"
	headerSize = 32
	crcSize    = 4
	alignment  = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header opens every model file. Numbers are little-endian, here and in
// everything that follows.
//
//	offset size
//	0      8    magic 42 4f 4f 53 54 0d 0a 1a ("BOOST", CR, LF, SUB)
//	8      2    format version: 1, of a compressed model 2
//	10     2    flags: 1 if there is a section linear, else 0
//	12     4    number of sections
//	16     8    M, length of the manifest
//	24     8    length of the file
//
// The rest of the file:
//
//	32     M    manifest: one JSON object, see manifest
//	       …    sections at multiples of 64, in the order of the manifest, zeros between
//	end-4  4    CRC32C of everything before
type Header struct {
	Version  uint16
	flags    uint16
	sections uint32
	manifest uint64
	file     uint64
}

func (h Header) append(b []byte) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, h.Version)
	b = binary.LittleEndian.AppendUint16(b, h.flags)
	b = binary.LittleEndian.AppendUint32(b, h.sections)
	b = binary.LittleEndian.AppendUint64(b, h.manifest)
	return binary.LittleEndian.AppendUint64(b, h.file)
}

// readHeader reads the first 32 bytes of a file that begins with the magic.
func readHeader(b []byte) Header {
	return Header{
		Version:  binary.LittleEndian.Uint16(b[8:]),
		flags:    binary.LittleEndian.Uint16(b[10:]),
		sections: binary.LittleEndian.Uint32(b[12:]),
		manifest: binary.LittleEndian.Uint64(b[16:]),
		file:     binary.LittleEndian.Uint64(b[24:]),
	}
}

// Section is a named run of bytes in the file.
type Section struct {
	Name string
	Data []byte
}

// SectionEntry is a section's line in the manifest.
type SectionEntry struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"` // bytes from the start of the file, a multiple of 64
	Length uint64 `json:"length"`
	CRC    string `json:"crc32c"` // 8 hex digits
}

func aligned(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

// place gives the sections, which have these checksums, their offsets behind a manifest of that length.
func place(sections []Section, sums []string, manifestLength int) []SectionEntry {
	entries := make([]SectionEntry, len(sections))
	at := uint64(headerSize + manifestLength)
	for i, s := range sections {
		at = aligned(at)
		entries[i] = SectionEntry{s.Name, at, uint64(len(s.Data)), sums[i]}
		at += uint64(len(s.Data))
	}
	return entries
}

func CrcHex(b []byte) string {
	const digits = "0123456789abcdef"
	sum := crc32.Checksum(b, castagnoli)
	var text [8]byte
	for i := range text {
		text[i] = digits[sum>>(28-4*i)&15]
	}
	return string(text[:])
}

// Assemble makes the file. manifest appends the JSON for a section table, of about size bytes.
func Assemble(version uint16, sections []Section, size int, manifest func([]byte, []SectionEntry) []byte) []byte {
	for _, s := range sections {
		size += alignment + len(s.Data)
	}
	h, b, entries := arrange(make([]byte, headerSize, headerSize+size+crcSize), version, sections, manifest)
	b = slices.Grow(b, int(h.file)-len(b))
	for i, s := range sections {
		b = append(b, make([]byte, entries[i].Offset-uint64(len(b)))...)
		b = append(b, s.Data...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// isAssembled reports whether a file, whose sections were opened, is what Assemble makes.
func isAssembled(data []byte, version uint16, sections []Section, manifest func([]byte, []SectionEntry) []byte) bool {
	h, b, entries := arrange(make([]byte, headerSize), version, sections, manifest)
	if h.file != uint64(len(data)) || !bytes.HasPrefix(data, b) {
		return false
	}
	for i, s := range sections {
		if !bytes.Equal(s.Data, data[entries[i].Offset:][:len(s.Data)]) {
			return false
		}
	}
	return true
}

// arrange returns the beginning of a file, up to its sections. It has the memory of b, which is as long as a header, where that is enough.
func arrange(b []byte, version uint16, sections []Section, manifest func([]byte, []SectionEntry) []byte) (Header, []byte, []SectionEntry) {
	// The manifest holds offsets that depend on its own length. A longer manifest never
	// makes shorter offsets, so lengths from 0 upwards rise to the least that fits.
	var entries []SectionEntry
	sums := make([]string, len(sections))
	for i, s := range sections {
		sums[i] = CrcHex(s.Data)
	}
	for length := -1; length != len(b)-headerSize; {
		length = len(b) - headerSize
		entries = place(sections, sums, length)
		b = manifest(b[:headerSize], entries)
	}
	end := uint64(len(b))
	if n := len(entries); n > 0 {
		end = entries[n-1].Offset + entries[n-1].Length
	}
	h := Header{version, sectionFlags(sections), uint32(len(sections)), uint64(len(b) - headerSize), end + crcSize}
	h.append(b[:0])
	return h, b, entries
}

// CheckHeader checks magic and lengths, all that the beginning of a file can tell.
// size is how long the file is; b may be shorter where only its beginning was read.
func CheckHeader(b []byte, size uint64) (Header, error) {
	if !bytes.HasPrefix(b, []byte(magic)) {
		return Header{}, Errorf("%s", NotAModel(b, size))
	}
	if size < headerSize+crcSize {
		return Header{}, Errorf("the model is cut short: it has only %d bytes", size)
	}
	h := readHeader(b)
	switch {
	case size < h.file:
		return h, Errorf("the model is cut short: %d of its %d bytes are there (copy it again)", size, h.file)
	case size > h.file:
		return h, Errorf("the model is damaged: it should end after %d bytes but has %d", h.file, size)
	}
	return h, nil
}

// OpenContainer checks the frame of a file and returns its manifest.
func OpenContainer(b []byte) (Header, []byte, error) {
	h, err := CheckHeader(b, uint64(len(b)))
	if err != nil {
		return h, nil, err
	}
	end := uint64(len(b)) - crcSize
	if got, want := crc32.Checksum(b[:end], castagnoli), binary.LittleEndian.Uint32(b[end:]); got != want {
		return h, nil, Errorf("the model is damaged: its checksum is %08x instead of %08x (copy it again, or train anew)", got, want)
	}
	if h.Version != FormatVersion && h.Version != CompressedVersion {
		if h.Version > CompressedVersion {
			return h, nil, Errorf("the model has format version %d, this program reads up to version %d: use a newer boost", h.Version, CompressedVersion)
		}
		return h, nil, Errorf("the model has format version %d, which no boost has written", h.Version)
	}
	if h.flags&^flagLinear != 0 {
		return h, nil, Errorf("the model needs features of a newer program (flags %04x): use a newer boost", h.flags)
	}
	if h.manifest > end-headerSize {
		return h, nil, Errorf("the model is damaged: its manifest of %d bytes does not fit", h.manifest)
	}
	return h, b[headerSize : headerSize+h.manifest], nil
}

// OpenSections checks the section table against the file and returns the sections,
// which must be the named ones in this order.
func OpenSections(b []byte, h Header, entries []SectionEntry, names []string) ([][]byte, error) {
	if uint64(h.sections) != uint64(len(entries)) || len(entries) != len(names) {
		return nil, Errorf("the model is damaged: header and manifest name %d and %d sections, %d expected", h.sections, len(entries), len(names))
	}
	end := uint64(len(b)) - crcSize
	at := headerSize + h.manifest
	data := make([][]byte, len(entries))
	for i, e := range entries {
		if e.Name != names[i] {
			return nil, Errorf("the model is damaged: section %d is %q instead of %q", i, e.Name, names[i])
		}
		if e.Offset != aligned(at) || e.Offset > end || e.Length > end-e.Offset {
			return nil, Errorf("the model is damaged: section %q cannot lie at %d with %d bytes", e.Name, e.Offset, e.Length)
		}
		for _, zero := range b[at:e.Offset] {
			if zero != 0 {
				return nil, Errorf("the model is damaged: bytes before section %q are not zero", e.Name)
			}
		}
		at = e.Offset + e.Length
		data[i] = b[e.Offset:at]
		if CrcHex(data[i]) != e.CRC {
			return nil, Errorf("the model is damaged: the checksum of section %q does not match", e.Name)
		}
	}
	if at != end {
		return nil, Errorf("the model is damaged: %d bytes follow its last section", end-at)
	}
	return data, nil
}
