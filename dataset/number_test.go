package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
)

func TestParseNumber(t *testing.T) {
	inf := math.Inf(1)
	good := map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1": 1, "+1": 1, "01": 1, "1.": 1, ".5": .5, "-.5e1": -5, " 7\t": 7,
		"1e308": 1e308, "1e309": inf, "-1e400": -inf, "5e-324": 5e-324, "1e-400": 0, "2.2250738585072014e-308": 2.2250738585072014e-308,
		"inf": inf, "-Infinity": -inf, "+INF": inf, "9007199254740993": 9007199254740992, "18446744073709551616": 18446744073709551616,
		"0.1": 0.1, "123456789012345678901234567890": 1.2345678901234568e29, "000000000000000000000000000001": 1,
		"0.00000000000000000000000000000000000000000000000001": 1e-50, "1e0000000000000000001": 10, "1E+2": 100,
		// Halfway between two float64; strconv's own hard cases.
		"1.00000000000000011102230246251565": 1, "1.00000000000000011102230246251566": 1.0000000000000002,
		"8.5": 8.5, "12345678": 12345678, "1234567.8901234": 1234567.8901234,
	}
	for text, want := range good {
		got, ok := dataset.ReadNumber([]byte(text), '.')
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "+", ".", "e5", "1e", "1e+", "1,5", "0x10", "1_000", "NaN", "nan", "infinit", "--1", "1 2", "1d5", "١"} {
		if v, ok := dataset.ReadNumber([]byte(text), '.'); ok {
			t.Errorf("%q is taken for the number %v", text, v)
		}
	}
	if v, ok := dataset.ReadNumber([]byte("-1,25e2"), ','); !ok || v != -125 {
		t.Errorf("decimal comma: %v %v", v, ok)
	}
	if _, ok := dataset.ReadNumber([]byte("1.5"), ','); ok {
		t.Error("1.5 is a number although the decimal point is a comma")
	}
}

// randomNumber writes numbers as tables do, and as they rarely do.
func randomNumber(r *rand.Rand) string {
	v := math.Float64frombits(r.Uint64())
	switch r.IntN(12) {
	case 0:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		return strconv.FormatFloat(r.NormFloat64(), 'f', r.IntN(25), 64)
	case 2:
		return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64)
	case 3:
		return strconv.FormatFloat(float64(float32(r.NormFloat64())), 'e', 18, 64)
	case 4: // a whole number of halves of the last place: ties
		m := 1<<52 + r.Uint64N(1<<52)
		return fmt.Sprintf("%d.5", m)
	case 5:
		return fmt.Sprintf("%d%se%d", r.Uint64N(1000), strings.Repeat("0", r.IntN(30)), r.IntN(700)-350)
	case 6:
		return fmt.Sprintf("0.%s%d", strings.Repeat("0", r.IntN(20)), r.Uint64())
	case 7: // exactly halfway between two numbers, and the next decimals beside it
		half := new(big.Float).SetPrec(2000).SetMantExp(big.NewFloat(float64(2*(1<<52+r.Uint64N(1<<52))+1)), r.IntN(260)-180)
		digits := half.Text('e', 120)
		cut := 17 + r.IntN(60)
		mantissa, exponent, _ := strings.Cut(digits, "e")
		return mantissa[:min(cut, len(mantissa))] + []string{"", "1", "000000000001"}[r.IntN(3)] + "e" + exponent
	case 8: // subnormals
		return strconv.FormatFloat(math.Float64frombits(r.Uint64N(1<<52)), 'e', r.IntN(40), 64)
	case 9: // many digits
		s := strconv.FormatUint(r.Uint64(), 10)
		return s[:1] + "." + s[1:] + strconv.FormatUint(r.Uint64(), 10) + strconv.FormatUint(r.Uint64N(1000), 10)
	case 10: // as people write prices, shares and counts
		return strconv.FormatFloat(float64(r.IntN(2_000_000)-1_000_000)/[]float64{1, 10, 100, 1000}[r.IntN(4)], 'f', r.IntN(6), 64)
	}
	for v != v || math.IsInf(v, 0) {
		v = math.Float64frombits(r.Uint64())
	}
	return strconv.FormatFloat(v, 'e', r.IntN(20), 64)
}

// TestNumbersEqualStrconv reads random and hard numbers through the cell parser and,
// quoted, unquoted and with a decimal comma, through the reader's quick paths. Columns
// are float32 only where strconv says that all of their values are exact in it.
func TestNumbersEqualStrconv(t *testing.T) {
	testenv.Unraced(t)
	blocks, n := testenv.ByLength(50, 3, 3), testenv.ByLength(200_000, 25_000, 15_000)
	for block := range blocks {
		r := rand.New(rand.NewPCG(1, uint64(block)))
		var text bytes.Buffer
		text.WriteString("x,y,z,c,narrow\n")
		want, narrow := make([]float64, n), make([]float64, n)
		for i := range want {
			number := randomNumber(r)
			want[i], _ = strconv.ParseFloat(number, 64)
			if got, ok := dataset.ReadNumber([]byte(number), '.'); !ok || math.Float64bits(got) != math.Float64bits(want[i]) {
				t.Fatalf("%q is %v, want %v", number, got, want[i])
			}
			comma := strings.Replace(number, ".", ",", 1)
			if got, ok := dataset.ReadNumber([]byte(comma), ','); !ok || math.Float64bits(got) != math.Float64bits(want[i]) {
				t.Fatalf("%q is %v, want %v", comma, got, want[i])
			}
			narrow[i] = float64(math.Float32frombits(r.Uint32()))
			for narrow[i] != narrow[i] || math.IsInf(narrow[i], 0) {
				narrow[i] = float64(math.Float32frombits(r.Uint32()))
			}
			fmt.Fprintf(&text, "%s,\"%s\",%s,%s,%s\n", number, number, number, number, strconv.FormatFloat(narrow[i], 'g', -1, 64))
		}
		table, err := dataset.Read(context.Background(), bytes.NewReader(text.Bytes()), "numbers.csv")
		if err != nil {
			t.Fatal(err)
		}
		commas, err := dataset.Read(context.Background(), strings.NewReader(strings.NewReplacer(",", ";", ".", ",").Replace(text.String())), "numbers.csv", dataset.Decimal(','))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y", "z", "c"} {
			for _, c := range []*dataset.Column{table.Column(name), commas.Column(name)} {
				for row, w := range want {
					if got := valueAt(c, row); math.Float64bits(got) != math.Float64bits(w) {
						t.Fatalf("row %d of %s is %v, want %v", row, name, got, w)
					}
				}
			}
		}
		c := table.Column("narrow")
		if c.Kind() != dataset.Float32 || table.Column("x").Kind() != dataset.Float64 {
			t.Fatalf("narrow is %v, x %v", c.Kind(), table.Column("x").Kind())
		}
		for row, w := range narrow {
			if got := valueAt(c, row); math.Float64bits(got) != math.Float64bits(w) {
				t.Fatalf("row %d of narrow is %v, want %v", row, got, w)
			}
		}
	}
}

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", -2.5: "-2.5", 0.1: "0.1", 100000: "100000", 1e20: "100000000000000000000",
		1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-07", math.Inf(1): "inf", math.Inf(-1): "-inf",
	} {
		if got := dataset.FormatNumber(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}

func TestParseDate(t *testing.T) {
	good := map[string]float64{ // by `date -u -d … +%s`
		"1970-01-01": 0, "2000-02-29": 951782400, "1969-12-31": -86400, "2024-03-10T12:34:56": 1710074096,
		"2024-03-10 12:34": 1710074040, "2024-03-10T12:34:56.25Z": 1710074096.25, "2024-03-10T12:34:56+02:00": 1710066896,
		"2024-03-10T12:34:56-0530": 1710093896, "2024-03-10T12:34:56+01": 1710070496, "0001-01-01": -62135596800,
	}
	for text, want := range good {
		if got, ok := dataset.ReadDate([]byte(text)); !ok || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "20240310", "2024-03-10T", "2024-03-10T25:00",
		"2024-03-10T12:60", "2024-03-10T12:34:60", "2024-03-10T12:34:56.", "2024-03-10T12:34:56X", "2024-03-10T12:34+2", "2024-03-10x12:34",
		"2024-03-10T12:34:56+24:00", "2024-03-10T12:34:56+02:60", "-024-03-10"} {
		if v, ok := dataset.ReadDate([]byte(text)); ok {
			t.Errorf("%q is taken for the date %v", text, v)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"1", "-1.5e-7", "9007199254740993", "1e400", ".", "inf", "1.00000000000000011102230246251565"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := dataset.ReadNumber([]byte(text), '.')
		trimmed := strings.Trim(text, " \t")
		want, err := strconv.ParseFloat(trimmed, 64)
		plain := (err == nil || math.IsInf(want, 0)) && want == want && !strings.ContainsAny(trimmed, "xX_pP")
		if ok != plain {
			t.Fatalf("%q: number %v, strconv %v (%v)", text, ok, want, err)
		}
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q is %v, want %v", text, got, want)
		}
	})
}
