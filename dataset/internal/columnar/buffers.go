package columnar

// Buffers holds a batch; it belongs to one worker.
type Buffers struct {
	Present [Batch]uint32
	Index   [Batch]uint32
	Numbers [Batch]float64
	Codes   [Batch]int32
	Ints    [Batch]int64
	Raw     [Batch * 8]byte
}

// Batch is the number of rows that are decoded at a time: their values and levels
// stay in the nearest cache.
const Batch = 4096
