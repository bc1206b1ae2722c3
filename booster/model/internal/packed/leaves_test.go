package packed

import (
	"testing"

	"boost/internal/entropy"
	"boost/ptq"
)

// Codes of b bits are −2^(b−1) … 2^(b−1)−1.
func TestUnpackLeavesRange(t *testing.T) {
	for d, half := range map[ptq.DType]int32{ptq.I16: 1 << 15, ptq.I8: 128, ptq.I4: 8, ptq.I2: 2} {
		for code, fits := range map[int32]bool{-half - 1: false, -half: true, half - 1: true, half: false} {
			k := newLeafCoder(entropy.NewWriter(nil), 1)
			k.each([]int32{code}, []int{1})
			if _, err := UnpackLeaves(k.coder.Close(), d, []int{1}, 1); (err == nil) != fits {
				t.Errorf("%s, code %d: %v", d, code, err)
			}
		}
	}
}
