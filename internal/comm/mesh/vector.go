package mesh

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"boost/internal/comm"
)

// kind is what a call does.
type kind uint8

const (
	barrier kind = iota + 1
	sum64
	sum32
	sumParts64
	maxFloat
	gatherBytes
	broadcastBytes
)

func (k kind) String() string {
	if names := []string{"no call", "Barrier", "Sum64", "Sum32", "SumParts64", "Max", "Gather", "Broadcast"}; int(k) < len(names) {
		return names[k]
	}
	return "an unknown call"
}

// givesBytes reports whether the ranks may give data of different lengths.
func (k kind) givesBytes() bool { return k == gatherBytes || k == broadcastBytes }

// vector is the values of a call as the bytes they have in memory, which is little-endian: these go over the wire.
type vector struct {
	kind kind
	data []byte
}

// vectorOf returns the vector of values.
func vectorOf[E uint64 | uint32 | float64](kind kind, values []E) vector {
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(E))))
	return vector{kind, data}
}

// valuesOf returns the values of bytes.
func valuesOf[E uint64 | uint32 | float64](data []byte) []E {
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(*new(E))))
}

// width returns the bytes of a value.
func (k kind) width() int {
	switch k {
	case sum32:
		return 4
	case gatherBytes, broadcastBytes:
		return 1
	}
	return 8
}

// combine adds the values of src to those of dst, or takes the larger ones.
func (k kind) combine(dst, src []byte) {
	switch k {
	case barrier, sum64, sumParts64:
		add(valuesOf[uint64](dst), valuesOf[uint64](src))
	case sum32:
		add(valuesOf[uint32](dst), valuesOf[uint32](src))
	case maxFloat:
		larger := valuesOf[float64](dst)
		for i, v := range valuesOf[float64](src) {
			larger[i] = max(larger[i], v)
		}
	}
}

func add[E uint64 | uint32](dst, src []E) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] += v
	}
}

// checkByteOrder returns an error on a machine whose memory has the bytes of numbers in another order than the wire.
func checkByteOrder() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return fmt.Errorf("%w: this machine is big-endian; ranks run on little-endian ones, such as amd64 and arm64", comm.ErrComm)
	}
	return nil
}
