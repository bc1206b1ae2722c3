package registry

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"boost/tensorq/store"
)

// Types of records in the log; ids are those of the models.
const (
	recordModel  = 1 // head: about; payload: the structure, see skeleton; none while the model is absent
	recordSource = 2 // head: origin; payload: what it names
	recordPin    = 3 // head: the number of the tier that the model is pinned in, 1 byte
	recordStore  = 4 // id "", head: a store.Position that the log of the tensors has reached
)

// logKind is "BREG".
const logKind = 0x47455242

// about is what is recorded of a model.
type aboutModel struct {
	SHA          string       `json:"sha256"`
	Sum          uint32       `json:"leaves_crc32c"` // of the tensor's values
	Rounds       int          `json:"rounds"`
	Outputs      int          `json:"outputs"`
	Trees        int          `json:"trees"`
	Leaves       int          `json:"leaves"`
	FileBytes    int64        `json:"file_bytes"`     // of the model as it was added
	Compressed   bool         `json:"compressed"`     // it was added in few bits
	Expanded     int64        `json:"expanded_bytes"` // about what it takes in memory as a model.Model
	MaxDelta     *float64     `json:"max_delta"`      // null: no limit
	MaxLoss      *float64     `json:"max_loss"`
	Certificates certificates `json:"certificates"` // by bits, descending
}

func limit(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}

func (a *aboutModel) floor() Floor { return Floor{limit(a.MaxDelta), limit(a.MaxLoss)} }

func (a *aboutModel) setFloor(f Floor) {
	if !math.IsInf(f.MaxDelta, 1) {
		a.MaxDelta = &f.MaxDelta
	}
	if !math.IsInf(f.MaxLoss, 1) {
		a.MaxLoss = &f.MaxLoss
	}
}

// certificate is that of so many bits.
func (a *aboutModel) certificate(bits int) *Certificate {
	for i := range a.Certificates {
		if a.Certificates[i].Bits == bits {
			return &a.Certificates[i]
		}
	}
	return nil
}

// certificates are read without memory for more of them than one too many, whatever a damaged record lists.
type certificates []Certificate

// UnmarshalJSON implements json.Unmarshaler.
func (c *certificates) UnmarshalJSON(text []byte) error {
	var some [5]*Certificate // one more than there are widths; encoding/json passes over the rest
	if err := json.Unmarshal(text, &some); err != nil {
		return err
	}
	*c = nil
	for _, s := range some {
		if s != nil {
			*c = append(*c, *s)
		}
	}
	return nil
}

func decodeAbout(id string, head []byte) (aboutModel, error) {
	var a aboutModel
	if err := json.Unmarshal(head, &a); err != nil {
		return a, &RecordError{id, err.Error()}
	}
	if a.Outputs < 1 || len(a.SHA) != 64 || min(int64(a.Rounds), int64(a.Trees), int64(a.Leaves), a.FileBytes, a.Expanded) < 0 {
		return a, &RecordError{id, "a model without outputs or hash, or of less than nothing"}
	}
	if len(a.Certificates) != len(widths) {
		return a, &RecordError{id, fmt.Sprintf("%d certificates", len(a.Certificates))}
	}
	for i, c := range a.Certificates {
		if c.Bits != widths[i] || len(c.Scores) != a.Outputs || len(c.Bound) != a.Outputs || !(slices.Min(slices.Concat(c.Scores, c.Bound)) >= 0) || c.Bytes < 0 {
			return a, &RecordError{id, fmt.Sprintf("a certificate of %d bits with bounds %v and %v", c.Bits, c.Bound, c.Scores)}
		}
	}
	if !(limit(a.MaxDelta) >= 0) || !(limit(a.MaxLoss) >= 0) {
		return a, &RecordError{id, "a floor below nothing"}
	}
	return a, nil
}

func decodeOrigin(id string, head []byte) (origin, error) {
	var o origin
	if err := json.Unmarshal(head, &o); err != nil {
		return o, &RecordError{id, err.Error()}
	}
	if o.Kind == "" || o.isRule() != (o.Of != "") || o.Size < 0 || len(o.SHA) != 64 {
		return o, &RecordError{id, fmt.Sprintf("made %q of %q", o.Kind, o.Of)}
	}
	return o, nil
}

func decodePin(id string, head []byte) (store.Tier, error) {
	if len(head) != 1 || head[0] < byte(store.Hot) || head[0] > byte(store.Cold) {
		return 0, &RecordError{id, "pinned in no tier"}
	}
	return store.Tier(head[0]), nil
}

// encode writes the head of a record.
func encodeHead(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("registry: a head that is no JSON: " + err.Error())
	}
	return text
}

// packer and unpacker are made by the first who needs them, and serve all.
var (
	packer = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	})
	unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	})
)

// mostUnpacked is how many bytes a byte of a payload stands for at most, where it unpacks to more than alwaysUnpacked: a
// few bytes are not taken for a large file.
const (
	mostUnpacked   = 64
	alwaysUnpacked = 1 << 20
)

// pack makes fewer bytes of those of a file.
func pack(data []byte) ([]byte, error) {
	w, err := packer()
	if err != nil {
		return nil, err
	}
	packed := w.EncodeAll(data, nil)
	if missing := len(data)/mostUnpacked + 1 - len(packed); missing > 0 && len(data) > alwaysUnpacked {
		// A frame that readers skip: its magic number, and how many bytes follow.
		packed = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(packed, 0x184d2a50), uint32(missing))
		packed = append(packed, make([]byte, missing)...)
	}
	return packed, nil
}

// unpack returns them, of which there are size.
func unpack(packed []byte, size int64) ([]byte, error) {
	if size > alwaysUnpacked && size/mostUnpacked > int64(len(packed)) {
		return nil, fmt.Errorf("%d bytes that are a file of %d: expected at most %d times as many", len(packed), size, mostUnpacked)
	}
	r, err := unpacker()
	if err != nil {
		return nil, err
	}
	data, err := r.DecodeAll(packed, make([]byte, 0, size))
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("%d bytes of a file of %d", len(data), size)
	}
	return data, err
}
