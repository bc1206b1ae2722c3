package columnar

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"boost/dataset/internal/chunk"
	"boost/dataset/internal/plain"

	"github.com/apache/arrow/go/v17/arrow/float16"
)

// Size returns the bytes that a value of the column takes where all take the same,
// 0 for BYTE_ARRAY. A boolean is counted as the byte that it is unpacked to.
func (f *Field) Size() int {
	switch f.Physical {
	case Boolean:
		return 1
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case parquetInt96:
		return 12
	case FixedBytes:
		return f.Length
	}
	return 0
}

// IsText reports whether values are read as a file's cells are, not as numbers.
func (f *Field) IsText() bool {
	switch f.Logical {
	case LogicalText, LogicalUUID, LogicalTime:
		return true
	case LogicalNone:
		return f.Physical == ByteArray || f.Physical == FixedBytes
	}
	return false
}

// isDate reports whether numbers are seconds since 1970.
func (f *Field) isDate() bool {
	return f.Logical == LogicalDate || f.Logical == LogicalStamp || f.Physical == parquetInt96
}

// TypeName names the column's type in a message.
func (f *Field) TypeName() string {
	switch {
	case f.Nested:
		return "nested type"
	case f.Annotated == "":
		return f.Physical.String()
	}
	return fmt.Sprintf("%s on %s", f.Annotated, f.Physical)
}

// Readable reports whether the column's type is one of numbers, dates or text, its
// annotation fitting its bytes.
func (f *Field) Readable() bool {
	p := f.Physical
	bytes := p == ByteArray || p == FixedBytes
	if f.Nested || p < Boolean || p > FixedBytes || p == FixedBytes && (f.Length <= 0 || f.Length > chunk.LargestHeader) {
		return false
	}
	switch f.Logical {
	case LogicalNone, LogicalNull:
		return true
	case LogicalText:
		return bytes
	case LogicalDecimal:
		return (bytes || p == Int32 || p == Int64) && f.Scale >= 0 && f.Scale <= MostDigits
	case LogicalDate:
		return p == Int32
	case LogicalTime:
		return p == Int32 && f.Unit == 1e3 || p == Int64 && f.Unit > 1
	case LogicalStamp:
		return p == Int64 && f.Unit > 1
	case LogicalDuration:
		return p == Int64
	case LogicalInteger:
		return p == Int32 && f.Bits <= 32 || p == Int64 && f.Bits <= 64
	case LogicalUUID:
		return p == FixedBytes && f.Length == 16
	case LogicalFloat16:
		return p == FixedBytes && f.Length == 2
	}
	return false
}

// MostDigits bounds the digits of a decimal; the widest type in use has 76.
const MostDigits = 1000

// integer returns an INT32 or INT64 as it is meant.
func (f *Field) integer(raw []byte) int64 {
	if f.Physical == Int32 {
		v := binary.LittleEndian.Uint32(raw)
		if f.Unsigned {
			return int64(v)
		}
		return int64(int32(v))
	}
	return int64(binary.LittleEndian.Uint64(raw))
}

// HalfFloat returns the value of a number of 16 bits. Arrow's own conversion is wrong for those closer to 0 than 2⁻¹⁴.
func HalfFloat(n float16.Num) float64 {
	value := float64(n.Float32())
	if bits := n.Uint16(); bits&0x7c00 == 0 {
		value = math.Copysign(float64(bits&0x3ff)*0x1p-24, value)
	}
	return value
}

// Number returns one value as a number. Integers that float64 cannot hold become
// the nearest one that it can.
func (f *Field) Number(raw []byte) float64 {
	switch {
	case f.Physical == Boolean:
		return float64(raw[0])
	case f.Physical == Float:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case f.Physical == Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(raw))
	case f.Physical == parquetInt96:
		return SecondsOf(int96Time(raw))
	case f.Logical == LogicalFloat16:
		return HalfFloat(float16.FromLEBytes(raw))
	case f.Logical == LogicalDecimal, f.Logical == LogicalDuration:
		return f.decimal(raw)
	case f.Logical == LogicalDate:
		return float64(f.integer(raw)) * SecondsPerDay
	case f.Logical == LogicalStamp:
		return SecondsOf(unitTime(f.integer(raw), f.Unit))
	case f.Unsigned && f.Physical == Int64:
		return float64(binary.LittleEndian.Uint64(raw))
	}
	return float64(f.integer(raw))
}

// unitTime returns the time that lies so many units of a second after 1970.
func unitTime(v, perSecond int64) time.Time {
	seconds, left := v/perSecond, v%perSecond
	return time.Unix(seconds, left*(1e9/perSecond)).UTC()
}

// int96Time reads nanoseconds of the day and the Julian day.
func int96Time(raw []byte) time.Time {
	const julian1970 = 2440588
	nanos := int64(binary.LittleEndian.Uint64(raw))
	day := int64(int32(binary.LittleEndian.Uint32(raw[8:]))) - julian1970
	return time.Unix(day*SecondsPerDay+nanos/1e9, nanos%1e9).UTC()
}

// decimal returns the float64 that is nearest to a decimal or to the seconds of a duration.
func (f *Field) decimal(raw []byte) float64 {
	if v, ok := f.unscaled(raw); ok {
		return Scaled(v, f.Scale)
	}
	return WrittenNumber(string(f.decimalText(nil, raw)))
}

// Scaled returns the float64 that is nearest to v · 10^−scale.
func Scaled(v int64, scale int32) float64 {
	if v > -1<<53 && v < 1<<53 && int(scale) < len(plain.ExactPowers) {
		return float64(v) / plain.ExactPowers[scale] // both exact, so the quotient is the nearest
	}
	return WrittenNumber(string(appendDecimal(nil, strconv.FormatInt(v, 10), int(scale))))
}

// unscaled returns a decimal's integer if int64 holds it.
func (f *Field) unscaled(raw []byte) (int64, bool) {
	switch {
	case f.Physical == Int32 || f.Physical == Int64:
		return f.integer(raw), true
	case len(raw) > 8 || len(raw) == 0:
		return 0, len(raw) == 0
	}
	v := int64(int8(raw[0]))
	for _, c := range raw[1:] {
		v = v<<8 | int64(c)
	}
	return v, true
}

// decimalText appends a decimal with all digits of its scale.
func (f *Field) decimalText(text, raw []byte) []byte {
	var digits string
	if v, ok := f.unscaled(raw); ok {
		digits = strconv.FormatInt(v, 10)
	} else {
		digits = twosComplement(raw).String()
	}
	return appendDecimal(text, digits, int(f.Scale))
}

// appendDecimal puts the point into an integer's digits.
func appendDecimal(text []byte, digits string, scale int) []byte {
	if digits[0] == '-' {
		text, digits = append(text, '-'), digits[1:]
	}
	if scale == 0 {
		return append(text, digits...)
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	whole := len(digits) - scale
	text = append(text, digits[:whole]...)
	text = append(text, '.')
	return append(text, digits[whole:]...)
}

// twosComplement reads a signed big-endian integer.
func twosComplement(raw []byte) *big.Int {
	v := new(big.Int).SetBytes(raw)
	if raw[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return v
}

// appendText appends a value as a CSV file would hold it; o says how numbers are
// written there.
func (f *Field) appendText(text, raw []byte, o *chunk.Dialect) []byte {
	switch {
	case f.Logical == LogicalUUID:
		return appendUUID(text, raw)
	case f.Logical == LogicalTime:
		return AppendClock(text, f.integer(raw), f.Unit)
	case f.IsText():
		return append(text, raw...)
	case f.Physical == Boolean:
		return strconv.AppendBool(text, raw[0] != 0)
	case f.Physical == parquetInt96:
		return appendStamp(text, int96Time(raw), false)
	case f.Logical == LogicalDate:
		return time.Unix(f.integer(raw)*SecondsPerDay, 0).UTC().AppendFormat(text, time.DateOnly)
	case f.Logical == LogicalStamp:
		t := unitTime(f.integer(raw), f.Unit)
		if f.Days && t.Unix()%SecondsPerDay == 0 && t.Nanosecond() == 0 {
			return t.AppendFormat(text, time.DateOnly)
		}
		return appendStamp(text, t, f.Utc)
	case f.Logical == LogicalDecimal, f.Logical == LogicalDuration:
		return withPoint(o, f.decimalText(text, raw), len(text))
	case f.Physical == Float, f.Physical == Double, f.Logical == LogicalFloat16:
		return withPoint(o, append(text, plain.FormatNumber(f.Number(raw))...), len(text))
	case f.Unsigned && f.Physical == Int64:
		return strconv.AppendUint(text, binary.LittleEndian.Uint64(raw), 10)
	}
	return strconv.AppendInt(text, f.integer(raw), 10)
}

// withPoint gives the number that begins at text[start] the decimal point in use.
func withPoint(o *chunk.Dialect, text []byte, start int) []byte {
	for i, c := range text[start:] {
		if c == '.' {
			text[start+i] = o.Decimal
		}
	}
	return text
}

func appendUUID(text, raw []byte) []byte {
	for i, end := range [...]int{4, 6, 8, 10, 16} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, raw[[...]int{0, 4, 6, 8, 10}[i]:end])
	}
	return text
}

// AppendClock appends a time of day as hh:mm:ss with the digits of a fraction that
// are not zero.
func AppendClock(text []byte, v, perSecond int64) []byte {
	t := unitTime(v, perSecond)
	text = t.AppendFormat(text, "15:04:05")
	return appendFraction(text, t)
}

func appendFraction(text []byte, t time.Time) []byte {
	if t.Nanosecond() == 0 {
		return text
	}
	return t.AppendFormat(text, ".999999999")
}

// appendStamp appends a time stamp in ISO form, Z behind it if it is one of UTC.
func appendStamp(text []byte, t time.Time, utc bool) []byte {
	text = appendFraction(t.AppendFormat(text, time.DateTime), t)
	if utc {
		text = append(text, 'Z')
	}
	return text
}

const SecondsPerDay = 24 * 60 * 60

// SecondsOf returns what parseDate makes of the time's ISO form.
func SecondsOf(t time.Time) float64 {
	return float64(t.Unix()) + float64(t.Nanosecond())/1e9
}

// WrittenNumber reads a decimal as a file's cell would be read.
func WrittenNumber(text string) float64 {
	v, _ := plain.ParseNumber([]byte(text), '.')
	return v
}
