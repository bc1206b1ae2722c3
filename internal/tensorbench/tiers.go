package tensorbench

import (
	"fmt"
	"math"
	"time"

	"boost/tensorq"
	"boost/tensorq/store"
)

// Tier is what a tier of a store with these settings takes and gives.
type Tier struct {
	Name          string  `json:"name"`
	Bits          int     `json:"bits"`
	BytesPerValue float64 `json:"bytes_per_value"` // scales and header included; float32 has 4
	RMS           float64 `json:"rms_error"`       // as a share of the values'
	Largest       float64 `json:"largest_error"`   // as a share of the largest magnitude
	PutMBs        float64 `json:"put_mb_s"`        // MB of float32 a second
	ReadMBs       float64 `json:"read_mb_s"`
}

// Store is what the tiers took together.
type Store struct {
	Tiers    []Tier `json:"tiers"`
	Resident int64  `json:"resident_bytes"` // of tensors in memory
	Live     int64  `json:"live_bytes"`     // of records that count
	Disk     int64  `json:"disk_bytes"`     // of the file, after a sweep
}

// Tiers puts tensors of heavy-tailed values into each tier, several times over, and reads
// them.
func Tiers(o Options) (result Store, err error) {
	const n, tensors, times = 1 << 16, 16, 3
	s, _, err := o.opened(nil)
	if err != nil {
		return result, err
	}
	defer func() { err = closed(s, err) }()
	values := drawn(13, n, heavyTailed)
	out := make([]float32, n)
	for _, tier := range []store.Tier{store.Hot, store.Warm, store.Cold} {
		name := func(i int) string { return fmt.Sprintf("%v %d", tier, i) }
		began := time.Now()
		for i := range tensors * times {
			if err := s.Put(name(i%tensors), []int{n}, values, store.PutOptions{Tier: tier}); err != nil {
				return result, err
			}
		}
		put := time.Since(began)
		began = time.Now()
		for i := range tensors * times {
			if _, err := s.Read(name(i%tensors), out); err != nil {
				return result, err
			}
		}
		read := time.Since(began)
		info, err := s.Info(name(0))
		if err != nil {
			return result, err
		}
		squares, errors, largest := 0.0, 0.0, 0.0
		for i, v := range values {
			e := float64(v) - float64(out[i])
			squares += float64(float64(v) * float64(v))
			errors += float64(e * e)
			largest = max(largest, math.Abs(e))
		}
		rate := func(took time.Duration) float64 { return 4 * n * tensors * times / 1e6 / took.Seconds() }
		result.Tiers = append(result.Tiers, Tier{
			Name: tier.String(), Bits: info.Bits, BytesPerValue: float64(info.Bytes) / n, RMS: math.Sqrt(errors / squares),
			Largest: largest / float64(tensorq.MaxAbs(values)), PutMBs: rate(put), ReadMBs: rate(read),
		})
	}
	result.Resident = s.Stats().Resident
	if _, err := s.Sweep(); err != nil {
		return result, err
	}
	result.Live, result.Disk = s.Stats().Live, s.Stats().Disk
	return result, nil
}
