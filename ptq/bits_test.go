package ptq_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/ptq"
)

// TestSameBits holds what versions are made of to the same bits on every platform: codes,
// scales, offsets and errors of every type by every method, over values that need no
// function of package math. The hash was made on amd64 and is what arm64 gives.
func TestSameBits(t *testing.T) {
	values, rows := make([]float64, 400), make([]float64, 400)
	state := uint64(1)
	next := func() float64 { // splitmix64
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return float64(int64(z^z>>31)>>11) * 0x1p-52
	}
	for i := range values {
		x := next()
		values[i] = x * x * x / 7
		rows[i] = math.Floor(100 * math.Abs(next()))
	}
	g := groups(t, []int{31, 62, 90, 200, 400}, []int{0, 1, 2, 0, 1})
	hash := sha256.New()
	number := func(x float64) {
		hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	for _, d := range ptq.DTypes() {
		for _, c := range []ptq.Calibration{
			{}, none, {Method: ptq.AbsMax, Groups: g}, {Method: ptq.Percentile, Percent: 97.3, Weights: weights(t, rows...)},
			{Method: ptq.MSE, Groups: g}, {Method: ptq.MSE, Weights: weights(t, rows...), Float32Scales: true}, given(0.0017),
		} {
			v, err := ptq.Quantize(d, c, values)
			if err != nil {
				continue
			}
			fmt.Fprintln(hash, d, v.Calibration())
			hash.Write(v.AppendNative(nil))
			for _, x := range slices.Concat(v.Scales(), v.Offsets()) {
				number(x)
			}
			for _, x := range valuesOf(v) {
				number(x)
			}
			e, _ := v.Errors()
			for _, x := range append([]float64{e.Max, e.Squared}, e.ByGroup...) {
				number(x)
			}
		}
	}
	t.Run("S4.7/S4.15/hash", func(t *testing.T) {
		const want = "d5f8e8784a9a862c22dac207dfcae80e9eab947cb9c8dea99a2414c4bf19c05a"
		if got := hex.EncodeToString(hash.Sum(nil)); got != want {
			t.Errorf("versions have the hash %s, want %s", got, want)
		}
	})
}
