package comm

import "time"

// ByChunk makes a SumParts64 that may have chunks as one of each chunk: sum is called with the values up to the chunk's last
// part, and in the end with those behind all parts too. The time from the first chunk on is that of a call.
func (c *Clock) ByChunk(values []uint64, parts []Part, size int, wait func(chunk int), sum func(values []uint64, parts []Part) error) error {
	for n := 0; len(parts) > 0; n++ {
		chunk := parts[:size]
		parts = parts[size:]
		of := values
		if len(parts) > 0 {
			of = values[:chunk[size-1].To]
		}
		if wait != nil {
			began := time.Now()
			if wait(n); n > 0 {
				c.Called(time.Since(began))
			}
		}
		if err := sum(of, chunk); err != nil {
			return err
		}
	}
	return nil
}
