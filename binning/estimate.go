package binning

// EstimateBytes returns the memory that Build will take for the codes of rows rows
// and one feature per entry of nCodes, with storage Adaptive or Uniform, without
// allocating it. It equals Matrix.Bytes.
func EstimateBytes(rows int, nCodes []uint32, storage string) uint64 {
	common := commonWidth(nCodes, storage)
	var size uint64
	for _, n := range nCodes {
		size += padded(max(common, WidthOf(n)).bytes(rows))
	}
	return size
}

// RawBytes returns the memory of the same cells as float32.
func RawBytes(rows, features int) uint64 { return 4 * uint64(rows) * uint64(features) }

// NCodes returns the number of codes of each feature in training.
func (c *Cuts) NCodes() []uint32 {
	nCodes := make([]uint32, len(c.Features))
	for f := range c.Features {
		nCodes[f] = c.Features[f].NCodes()
	}
	return nCodes
}
