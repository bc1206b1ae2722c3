package entropy

import (
	"math/rand/v2"
	"testing"
)

// Whatever is written is read again, whatever the estimates are.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := r.IntN(3000)
		type step struct{ kind, value, p uint32 }
		steps := make([]step, n)
		for i := range steps {
			s := step{kind: r.Uint32N(4)}
			switch s.kind {
			case 0:
				s.p = 1 + r.Uint32N(One-1)
				if r.IntN(3) == 0 {
					s.p = []uint32{1, One - 1}[r.IntN(2)]
				}
				s.value = r.Uint32N(2)
			case 1:
				s.p = 1 + r.Uint32N(1<<16)
				s.value = r.Uint32N(s.p)
				if r.IntN(3) == 0 {
					s.value = s.p - 1
				}
			case 2:
				s.value = r.Uint32N(2)
			case 3:
				s.value = r.Uint32() >> r.IntN(32)
			}
			steps[i] = s
		}
		through := func(c *Coder) []uint64 {
			var out []uint64
			var b [9]Bit
			var m Mixer
			var number Number
			for i, s := range steps {
				switch s.kind {
				case 0:
					out = append(out, uint64(c.Bit(s.value, s.p)))
				case 1:
					out = append(out, uint64(c.Uniform(s.value, s.p)))
				case 2:
					out = append(out, uint64(m.Code(c, s.value, &b[i%2], &b[2+i%3], &b[5+i%4])))
				case 3:
					out = append(out, number.Code(c, uint64(s.value)<<(i%33)))
				}
			}
			return out
		}
		w := NewWriter([]byte{0x55})
		want := through(w)
		b := w.Close()
		c := NewReader(b[1:])
		got := through(c)
		if err := c.Err(); err != nil {
			t.Fatal(seed, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d step %d of %d: %d instead of %d", seed, i, n, got[i], want[i])
			}
		}
	}
}
