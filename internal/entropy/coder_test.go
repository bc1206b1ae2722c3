package entropy_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"boost/internal/entropy"
)

// decision is one of what coders code.
type decision struct {
	kind  uint32 // a bit, one of some values, a bit of three contexts, of one, a number
	value uint64
	p     uint32 // of a bit, or how many values
}

const kinds = 5

func randomDecisions(r *rand.Rand, n int) []decision {
	all := make([]decision, n)
	for i := range all {
		d := decision{kind: r.Uint32N(kinds)}
		switch d.kind {
		case 0:
			d.p = 1 + r.Uint32N(entropy.One-1)
			if r.IntN(3) == 0 {
				d.p = []uint32{1, entropy.One - 1}[r.IntN(2)]
			}
			d.value = r.Uint64N(2)
		case 1:
			d.p = 1 + r.Uint32N(1<<16)
			d.value = r.Uint64N(uint64(d.p))
			if r.IntN(3) == 0 {
				d.value = uint64(d.p) - 1
			}
		case 2, 3:
			d.value = r.Uint64N(2)
		case 4:
			d.value = r.Uint64() >> r.IntN(64) * r.Uint64N(2)
		}
		all[i] = d
	}
	return all
}

// through codes decisions and returns what the coder says they are.
func through(c *entropy.Coder, decisions []decision) []uint64 {
	var bits [9]entropy.Bit
	var mixer entropy.Mixer
	var number entropy.Number
	values := make([]uint64, len(decisions))
	for i, d := range decisions {
		bit := uint32(d.value)
		switch d.kind {
		case 0:
			values[i] = uint64(c.Bit(bit, d.p))
		case 1:
			values[i] = uint64(c.Uniform(bit, d.p))
		case 2:
			values[i] = uint64(mixer.Code(c, bit, &bits[i%2], &bits[2+i%3], &bits[5+i%4]))
		case 3:
			values[i] = uint64(bits[i%9].Code(c, bit))
		case 4:
			values[i] = number.Code(c, d.value)
		}
	}
	return values
}

// Whatever is written is read again, whatever the estimates are, and what stood before it is
// left alone.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		decisions := randomDecisions(r, r.IntN(3000))
		w := entropy.NewWriter([]byte{0xff, 0xff})
		through(w, decisions)
		bits := w.Bits()
		b := w.Close()
		if b[0] != 0xff || b[1] != 0xff {
			t.Fatalf("seed %d: the writer changed what stood before: % x", seed, b[:2])
		}
		// Bits counts what stood before. The interval holds a number that ends within the next byte,
		// or before it.
		if over := 8*float64(len(b)) - bits; over < -8 || over > 8 {
			t.Errorf("seed %d: %d bytes, but %.2f bits are written", seed, len(b), bits)
		}
		c := entropy.NewReader(b[2:])
		for pass := range 2 {
			got := through(c, decisions)
			if err := c.Err(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i, d := range decisions {
				if got[i] != d.value {
					t.Fatalf("seed %d, pass %d, decision %d of %d: %d instead of %d", seed, pass, i, len(decisions), got[i], d.value)
				}
			}
			c.Reset(b[2:])
		}
	}
}

// Bytes by hand. The interval begins as [0, 2³²-1); a one takes its left part, p/65,536 of
// its width, rounded down.
//
//	no decision: 0 lies in it, which zeros behind no byte say
//	one 1 of p = 1/2: [0, 7fffffff), again no byte
//	one 0 of p = 1/2: [7fffffff, ffffffff): 80 and zeros
//	0 of p = 1/65,536 three times: [ffff, …), [1fffe, …), [2fffd, …), all with ffffffff for
//	end: 80 again, since of numbers of one byte the least is written that lies inside: 01
//	Uniform 200 of 256: steps of 00ffffff; 200 of them is c7ffff38: c8
func TestBytesByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(c *entropy.Coder)
		want  []byte
	}{
		{"nothing", func(*entropy.Coder) {}, nil},
		{"one", func(c *entropy.Coder) { c.Bit(1, entropy.One/2) }, nil},
		{"zero", func(c *entropy.Coder) { c.Bit(0, entropy.One/2) }, []byte{0x80}},
		{"three zeros that were expected", func(c *entropy.Coder) {
			for range 3 {
				c.Bit(0, 1)
			}
		}, []byte{0x01}},
		{"200 of 256", func(c *entropy.Coder) { c.Uniform(200, 256) }, []byte{0xc8}},
	} {
		w := entropy.NewWriter(nil)
		c.write(w)
		if got := w.Close(); !bytes.Equal(got, c.want) {
			t.Errorf("%s: % x, want % x", c.name, got, c.want)
		}
	}
}

// A carry runs back into bytes that are written. By hand: a one of p = 32,769 leaves
// [0, 8000ffff), a zero of p = 65,534 the right end of it, [7ffffffd, 8000ffff): the byte 7f is
// written, and what is left is [fffffd00, fffffd00 + 1000200), of which all but 300 lies behind
// the border. A byte of ff is written too before the values reach it, all but the first.
func TestCarry(t *testing.T) {
	for last := range uint32(256) {
		write := func(c *entropy.Coder) [5]uint32 {
			return [5]uint32{
				c.Bit(1, 32_769), c.Bit(0, 65_534), c.Uniform(0, 16), c.Uniform(last, 256), c.Uniform(7, 65_536),
			}
		}
		w := entropy.NewWriter(nil)
		write(w)
		b := w.Close()
		if carried := b[0] == 0x80; carried != (last > 0) || !carried && (b[0] != 0x7f || b[1] != 0xff) {
			t.Errorf("last %d: % x", last, b)
		}
		if got, want := write(entropy.NewReader(b)), [5]uint32{1, 0, 0, last, 7}; got != want {
			t.Errorf("%v was read, want %v", got, want)
		}
	}
}

// A reader that goes on behind the end says so, and one that stops at it does not.
func TestTruncated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	decisions := randomDecisions(r, 1000)
	w := entropy.NewWriter(nil)
	through(w, decisions)
	b := w.Close()
	for n := range len(b) - 8 {
		c := entropy.NewReader(b[:n])
		through(c, decisions)
		for range 100 {
			c.Uniform(0, 256)
		}
		if err := c.Err(); !errors.Is(err, entropy.ErrTruncated) {
			t.Fatalf("%d of %d bytes: %v, want ErrTruncated", n, len(b), err)
		}
	}
	if err := entropy.NewReader(nil).Err(); err != nil {
		t.Errorf("nothing is read of nothing: %v", err)
	}
}

// Decisions cost what they carry: n bits of which a share p is 1 take n·H(p) by Shannon, and an
// estimate that has to learn p about half a bit per doubling of n more (Krichevsky and Trofimov
// 1981). A mixer of one context that knows and two of noise costs little beyond it.
func TestCost(t *testing.T) {
	const n = 20_000
	for _, p := range []float64{0.5, 0.2, 0.05, 0.01} {
		r := rand.New(rand.NewPCG(7, uint64(p*1000)))
		alone, mixed := entropy.NewWriter(nil), entropy.NewWriter(nil)
		var estimate entropy.Bit
		var contexts [2]entropy.Bit
		var noise [64]entropy.Bit
		var mixer entropy.Mixer
		ones := 0
		for range n {
			side := r.IntN(2)
			bit := uint32(0)
			if (r.Float64() < p) == (side == 0) {
				bit = 1
			}
			mixer.Code(mixed, bit, &contexts[side], &noise[r.IntN(32)], &noise[32+r.IntN(32)])
			bit ^= uint32(side)
			ones += int(bit)
			estimate.Code(alone, bit)
		}
		share := float64(ones) / n
		shannon := -n * (share*math.Log2(share) + (1-share)*math.Log2(1-share)) / 8
		if got := float64(len(alone.Close())); got < shannon-2 || got > 1.02*shannon+8 {
			t.Errorf("p = %g: an estimate takes %.0f bytes, the bits carry %.1f", p, got, shannon)
		}
		if got := float64(len(mixed.Close())); got < shannon-2 || got > 1.06*shannon+30 {
			t.Errorf("p = %g: a mixer takes %.0f bytes, the bits carry %.1f", p, got, shannon)
		}
	}
}

// FuzzCoderS3_57 reads decisions of any kinds from any bytes: what comes out lies in its
// range, and written again is read again.
func FuzzCoderS3_57(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 4 {
		decisions := randomDecisions(r, 50*n)
		w := entropy.NewWriter(nil)
		through(w, decisions)
		var script []byte
		for _, d := range decisions {
			script = append(script, byte(d.kind), byte(d.p>>8), byte(d.p))
		}
		f.Add(script, w.Close())
	}
	f.Add([]byte{1, 0, 1, 4, 0, 0, 4, 0, 0}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, script, b []byte) {
		decisions := make([]decision, min(len(script)/3, 10_000))
		for i := range decisions {
			s := script[3*i:]
			decisions[i] = decision{kind: uint32(s[0]) % kinds, p: max(uint32(s[1])<<8|uint32(s[2]), 1)}
		}
		c := entropy.NewReader(b)
		values := through(c, decisions)
		for i, v := range values {
			d := &decisions[i]
			if d.kind < 4 && d.kind != 1 && v > 1 || d.kind == 1 && v >= uint64(d.p) {
				t.Fatalf("decision %d of kind %d among %d is %d", i, d.kind, d.p, v)
			}
			d.value = v
		}
		w := entropy.NewWriter(nil)
		through(w, decisions)
		for i, v := range through(entropy.NewReader(w.Close()), decisions) {
			if v != values[i] {
				t.Fatalf("decision %d was read as %d, and written and read again as %d", i, values[i], v)
			}
		}
	})
}
