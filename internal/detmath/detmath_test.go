package detmath_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"boost/internal/detmath"
)

const prec = 180

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Quo(x, y) }

// bigExp halves x until its series is short, and squares back.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	r := new(big.Float).SetPrec(prec+40).SetMantExp(x, -halvings)
	sum := new(big.Float).SetPrec(prec + 40).SetInt64(1)
	term := new(big.Float).SetPrec(prec + 40).SetInt64(1)
	for i := int64(1); i < 40; i++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return new(big.Float).SetPrec(prec).Set(sum)
}

// bigLog is Halley's iteration for exp(y) = x, started at math.Log.
func bigLog(x *big.Float) *big.Float {
	exponent := x.MantExp(nil)
	mantissa := new(big.Float).SetPrec(prec).SetMantExp(x, -exponent)
	near, _ := mantissa.Float64()
	y := bigOf(math.Log(near))
	for range 2 { // each triples the 53 bits
		e := bigExp(y)
		y = add(y, mul(bigOf(2), quo(sub(mantissa, e), add(mantissa, e))))
	}
	return add(y, mul(bigOf(float64(exponent)), ln2))
}

// ln2 to 60 digits, OEIS A002162.
var ln2, _ = new(big.Float).SetPrec(prec).SetString("0.693147180559945309417232121458176568075500134360255254120680")

// rootPi is √π to 60 digits, OEIS A002161.
var rootPi, _ = new(big.Float).SetPrec(prec).SetString("1.77245385090551602729816748334114518279754945612238712821381")

// bigErf is the Maclaurin series with enough guard bits for its alternating terms.
func bigErf(x *big.Float) *big.Float {
	const guard = prec + 140
	if x.Sign() == 0 {
		return bigOf(0)
	}
	x2 := new(big.Float).SetPrec(guard).Mul(x, x)
	term := new(big.Float).SetPrec(guard).Set(x)
	sum := new(big.Float).SetPrec(guard)
	for n := int64(0); n < 400; n++ {
		part := new(big.Float).SetPrec(guard).Quo(term, new(big.Float).SetInt64(2*n+1))
		if sum.Add(sum, part); sum.MantExp(nil)-part.MantExp(nil) > prec {
			break
		}
		term.Mul(term, x2)
		term.Quo(term, new(big.Float).SetInt64(-(n + 1)))
	}
	return quo(mul(bigOf(2), sum), rootPi)
}

// ulps returns |got - want| in units of the last place of want's binade.
func ulps(got float64, want *big.Float) float64 {
	exponent := max(want.MantExp(nil)-53, -1074)
	diff, _ := new(big.Float).SetMantExp(sub(bigOf(got), want), -exponent).Float64()
	return math.Abs(diff)
}

func TestErrorBounds(t *testing.T) {
	uniform := func(lo, hi float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return lo + (hi-lo)*r.Float64() }
	}
	tiny := func(r *rand.Rand) float64 {
		return math.Copysign(math.Ldexp(1+r.Float64(), -1-r.IntN(70)), r.Float64()-0.5)
	}
	one := bigOf(1)
	bigSigmoid := func(x *big.Float) *big.Float { return quo(one, add(one, bigExp(new(big.Float).Neg(x)))) }

	cases := []struct {
		name  string
		f     func(float64) float64
		exact func(*big.Float) *big.Float
		draw  func(*rand.Rand) float64
		bound float64
	}{
		{"exp/near", detmath.Exp, bigExp, uniform(-1, 1), 0.52},
		{"exp/wide", detmath.Exp, bigExp, uniform(-708, 709.78), 0.52},
		{"exp/tiny", detmath.Exp, bigExp, tiny, 0.52},
		{"exp/subnormal", detmath.Exp, bigExp, uniform(-745, -708), 0.76},
		{"log/near", detmath.Log, bigLog, uniform(0.5, 2), 0.53},
		{"log/at_one", detmath.Log, bigLog, uniform(0.99, 1.01), 0.53},
		{"log/wide", detmath.Log, bigLog, func(r *rand.Rand) float64 {
			return math.Ldexp(1+r.Float64(), r.IntN(2040)-1020)
		}, 0.53},
		{"log/subnormal", detmath.Log, bigLog, uniform(0, 0x1p-1022), 0.53},
		{"sigmoid/near", detmath.Sigmoid, bigSigmoid, uniform(-8, 8), 2},
		{"sigmoid/wide", detmath.Sigmoid, bigSigmoid, uniform(-700, 40), 2},
		{"erf/near", detmath.Erf, bigErf, uniform(-1, 1), 2},
		{"erf/wide", detmath.Erf, bigErf, uniform(-6.1, 6.1), 2},
		{"erf/tiny", detmath.Erf, bigErf, tiny, 2},
	}
	draws := 1000
	if testing.Short() {
		draws = 300
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			for range draws {
				x := c.draw(r)
				if e := ulps(c.f(x), c.exact(bigOf(x))); e > worst {
					worst, at = e, x
				}
			}
			t.Logf("worst %.3f ulp at %v", worst, at)
			if worst > c.bound {
				t.Errorf("error %.3f ulp at %v (%x), want ≤ %v", worst, at, at, c.bound)
			}
		})
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	cases := []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"exp", detmath.Exp, 0, 1},
		{"exp", detmath.Exp, math.Copysign(0, -1), 1},
		{"exp", detmath.Exp, inf, inf},
		{"exp", detmath.Exp, -inf, 0},
		{"exp", detmath.Exp, nan, nan},
		{"exp", detmath.Exp, 709.782712893384, 0x1.fffffffffff2ap+1023}, // Python's decimal at 60 digits, rounded
		{"exp", detmath.Exp, 709.782712893385, inf},
		{"exp", detmath.Exp, -745.133219101941, 5e-324},
		{"exp", detmath.Exp, -745.133219101942, 0},
		{"exp", detmath.Exp, 1e308, inf},
		{"exp", detmath.Exp, -1e308, 0},
		{"log", detmath.Log, 1, 0},
		{"log", detmath.Log, 0, -inf},
		{"log", detmath.Log, math.Copysign(0, -1), -inf},
		{"log", detmath.Log, -1, nan},
		{"log", detmath.Log, -inf, nan},
		{"log", detmath.Log, inf, inf},
		{"log", detmath.Log, nan, nan},
		{"erf", detmath.Erf, inf, 1},
		{"erf", detmath.Erf, -inf, -1},
		{"erf", detmath.Erf, 0, 0},
		{"erf", detmath.Erf, math.Copysign(0, -1), math.Copysign(0, -1)},
		{"erf", detmath.Erf, nan, nan},
		{"sigmoid", detmath.Sigmoid, 0, 0.5},
		{"sigmoid", detmath.Sigmoid, math.Copysign(0, -1), 0.5},
		{"sigmoid", detmath.Sigmoid, inf, 1},
		{"sigmoid", detmath.Sigmoid, -inf, 0},
		{"sigmoid", detmath.Sigmoid, nan, nan},
		{"sigmoid", detmath.Sigmoid, -745, 5e-324},
	}
	for _, c := range cases {
		got := c.f(c.x)
		if math.IsNaN(c.want) && math.IsNaN(got) {
			continue
		}
		if math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("%s(%v) = %v (%x), want %v", c.name, c.x, got, got, c.want)
		}
	}
}

// The block forms must give the scalar form's bits in every position.
func TestBlocks(t *testing.T) {
	src := []float64{0, math.Copysign(0, -1), 1e-300, -1e-300, 40, -40, 708.5, -708.5, 745, -745, 800, -800,
		math.Inf(1), math.Inf(-1), math.NaN()}
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		src = append(src, r.NormFloat64()*5)
	}
	dst := make([]float64, len(src))
	detmath.SigmoidBlock(dst, src)
	for i, x := range src {
		want := detmath.Sigmoid(x)
		if math.Float64bits(dst[i]) != math.Float64bits(want) && !(math.IsNaN(want) && math.IsNaN(dst[i])) {
			t.Errorf("SigmoidBlock(%v) = %v, want %v", x, dst[i], want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { detmath.SigmoidBlock(dst, src) }); n != 0 {
		t.Errorf("SigmoidBlock allocates %v times", n)
	}
	same := append([]float64(nil), src...)
	detmath.SigmoidBlock(same, same)
	for i := range same {
		if math.Float64bits(same[i]) != math.Float64bits(dst[i]) && !math.IsNaN(dst[i]) {
			t.Errorf("in place, entry %d is %v, want %v", i, same[i], dst[i])
		}
	}
}

// The bound that ExpCoarse states, over the whole of its range.
func TestExpCoarse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	worst := 0.0
	for i := range 4000 {
		x := -708 + 1417*r.Float64()
		if i%2 == 0 {
			x = r.NormFloat64() * 4
		}
		want := bigExp(bigOf(x))
		err, _ := quo(sub(bigOf(detmath.ExpCoarse(x)), want), want).Float64()
		worst = max(worst, math.Abs(err))
	}
	if worst > 3e-12 {
		t.Errorf("relative error %v, want ≤ 3e-12", worst)
	}
	if got := detmath.ExpCoarse(0); got != 1 {
		t.Errorf("ExpCoarse(0) = %v, want 1", got)
	}
}

// The tables against the oracles of this file, which use other series than gen.go.
// (Their use is proven by TestErrorBounds; this names the entry that is wrong.)
func TestNodes(t *testing.T) {
	for i := range 128 {
		x := float64(i) / 128 * math.Ln2
		if u := ulps(detmath.Exp(x), bigExp(bigOf(x))); u > 0.52 {
			t.Errorf("exp node %d: %.3f ulp", i, u)
		}
		z := 0.6875 + float64(i)*0.6875/128
		if u := ulps(detmath.Log(z), bigLog(bigOf(z))); u > 0.53 {
			t.Errorf("log near node %d: %.3f ulp", i, u)
		}
	}
	for i := range 97 {
		x := float64(i) / 16
		if u := ulps(detmath.Erf(x), bigErf(bigOf(x))); i > 0 && u > 0.501 {
			t.Errorf("erf node %d: %.3f ulp", i, u)
		}
	}
}

var sink float64

func BenchmarkScalar(b *testing.B) {
	src := make([]float64, 1024)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range src {
		src[i] = r.Float64() * 4
	}
	for _, c := range []struct {
		name string
		f    func(float64) float64
	}{{"exp", detmath.Exp}, {"log", detmath.Log}, {"erf", detmath.Erf}} {
		b.Run("f="+c.name, func(b *testing.B) {
			for i := range b.N {
				sink = c.f(src[i%1024])
			}
		})
	}
}

func BenchmarkSigmoid(b *testing.B) {
	src, dst := make([]float64, 4096), make([]float64, 4096)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range src {
		src[i] = r.NormFloat64() * 3
	}
	for b.Loop() {
		detmath.SigmoidBlock(dst, src)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(src)), "ns/row")
}
