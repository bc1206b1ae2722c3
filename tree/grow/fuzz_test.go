package grow_test

import (
	"math/rand/v2"
	"testing"

	"boost/binning"
)

// FuzzGrow makes a small table of any bytes and compares the grower with the plain one.
func FuzzGrow(f *testing.F) {
	f.Add(uint64(1), []byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	f.Add(uint64(2), []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 255, 255, 255, 255, 128, 128, 128, 128})
	f.Add(uint64(3), []byte{7, 0, 1, 2, 3, 9, 8, 7, 7, 0, 1, 2, 3, 9, 8, 7, 5, 5, 5, 5, 5, 5, 5, 5})
	f.Fuzz(func(t *testing.T, seed uint64, cells []byte) {
		if len(cells) > 4000 {
			return
		}
		pools := newPools(t, 1, 2)
		d := &data{features: []binning.Feature{
			numeric(5, true), {Kind: binning.Categorical, Regular: 7, HasMissing: true}, numeric(16, false),
		}, codes: make([][]uint32, 3)}
		for ; len(cells) >= 4; cells = cells[4:] {
			for f := range d.features {
				d.codes[f] = append(d.codes[f], uint32(cells[f])%d.features[f].NCodes())
			}
			d.grad = append(d.grad, float32(int8(cells[3]))/8)
			d.hess = append(d.hess, float32((cells[0]^cells[3])&31)/8)
		}
		if len(d.grad) == 0 {
			return
		}
		d.build(t)
		r := rand.New(rand.NewPCG(seed, 0))
		p := randomParams(r)
		for _, mode := range modes {
			oneTree(t, "fuzz", d, p, mode, r, pools)
		}
	})
}
