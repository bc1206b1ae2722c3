package dataset

import (
	"boost/dataset/internal/chunk"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v17/arrow/float16"
)

// size returns the bytes that a value of the column takes where all take the same,
// 0 for BYTE_ARRAY. A boolean is counted as the byte that it is unpacked to.
func (f *fileColumn) size() int {
	switch f.physical {
	case parquetBoolean:
		return 1
	case parquetInt32, parquetFloat:
		return 4
	case parquetInt64, parquetDouble:
		return 8
	case parquetInt96:
		return 12
	case parquetFixed:
		return f.length
	}
	return 0
}

// isText tells whether values are read as a file's cells are, not as numbers.
func (f *fileColumn) isText() bool {
	switch f.logical {
	case logicalText, logicalUUID, logicalTime:
		return true
	case logicalNone:
		return f.physical == parquetBytes || f.physical == parquetFixed
	}
	return false
}

// isDate tells whether numbers are seconds since 1970.
func (f *fileColumn) isDate() bool {
	return f.logical == logicalDate || f.logical == logicalStamp || f.physical == parquetInt96
}

// typeName names the column's type in a message.
func (f *fileColumn) typeName() string {
	switch {
	case f.nested:
		return "nested type"
	case f.annotated == "":
		return f.physical.String()
	}
	return fmt.Sprintf("%s on %s", f.annotated, f.physical)
}

// readable tells whether the column's type is one of numbers, dates or text, its
// annotation fitting its bytes.
func (f *fileColumn) readable() bool {
	p := f.physical
	bytes := p == parquetBytes || p == parquetFixed
	if f.nested || p < parquetBoolean || p > parquetFixed || p == parquetFixed && (f.length <= 0 || f.length > chunk.LargestHeader) {
		return false
	}
	switch f.logical {
	case logicalNone, logicalNull:
		return true
	case logicalText:
		return bytes
	case logicalDecimal:
		return (bytes || p == parquetInt32 || p == parquetInt64) && f.scale >= 0 && f.scale <= mostDigits
	case logicalDate:
		return p == parquetInt32
	case logicalTime:
		return p == parquetInt32 && f.unit == 1e3 || p == parquetInt64 && f.unit > 1
	case logicalStamp:
		return p == parquetInt64 && f.unit > 1
	case logicalInteger:
		return p == parquetInt32 && f.bits <= 32 || p == parquetInt64 && f.bits <= 64
	case logicalUUID:
		return p == parquetFixed && f.length == 16
	case logicalFloat16:
		return p == parquetFixed && f.length == 2
	}
	return false
}

// mostDigits bounds the digits of a decimal; the widest type in use has 76.
const mostDigits = 1000

// integer returns an INT32 or INT64 as it is meant.
func (f *fileColumn) integer(raw []byte) int64 {
	if f.physical == parquetInt32 {
		v := binary.LittleEndian.Uint32(raw)
		if f.unsigned {
			return int64(v)
		}
		return int64(int32(v))
	}
	return int64(binary.LittleEndian.Uint64(raw))
}

// number returns one value as a number. Integers that float64 cannot hold become
// the nearest one that it can.
func (f *fileColumn) number(raw []byte) float64 {
	switch {
	case f.physical == parquetBoolean:
		return float64(raw[0])
	case f.physical == parquetFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	case f.physical == parquetDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(raw))
	case f.physical == parquetInt96:
		return secondsOf(int96Time(raw))
	case f.logical == logicalFloat16:
		return float64(float16.FromLEBytes(raw).Float32())
	case f.logical == logicalDecimal:
		return f.decimal(raw)
	case f.logical == logicalDate:
		return float64(f.integer(raw)) * secondsPerDay
	case f.logical == logicalStamp:
		return secondsOf(unitTime(f.integer(raw), f.unit))
	case f.unsigned && f.physical == parquetInt64:
		return float64(binary.LittleEndian.Uint64(raw))
	}
	return float64(f.integer(raw))
}

// unitTime returns the time that lies so many units of a second after 1970.
func unitTime(v, perSecond int64) time.Time {
	seconds, rest := v/perSecond, v%perSecond
	return time.Unix(seconds, rest*(1e9/perSecond)).UTC()
}

// int96Time reads nanoseconds of the day and the Julian day.
func int96Time(raw []byte) time.Time {
	const julian1970 = 2440588
	nanos := int64(binary.LittleEndian.Uint64(raw))
	day := int64(int32(binary.LittleEndian.Uint32(raw[8:]))) - julian1970
	return time.Unix(day*secondsPerDay+nanos/1e9, nanos%1e9).UTC()
}

// decimal returns the float64 that is nearest to a decimal.
func (f *fileColumn) decimal(raw []byte) float64 {
	if v, ok := f.unscaled(raw); ok && v > -1<<53 && v < 1<<53 && int(f.scale) < len(chunk.ExactPowers) {
		return float64(v) / chunk.ExactPowers[f.scale] // both exact, so the quotient is the nearest
	}
	return writtenNumber(string(f.decimalText(nil, raw)))
}

// unscaled returns a decimal's integer if int64 holds it.
func (f *fileColumn) unscaled(raw []byte) (int64, bool) {
	switch {
	case f.physical == parquetInt32 || f.physical == parquetInt64:
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
func (f *fileColumn) decimalText(text, raw []byte) []byte {
	var digits string
	if v, ok := f.unscaled(raw); ok {
		digits = strconv.FormatInt(v, 10)
	} else {
		digits = twosComplement(raw).String()
	}
	return appendDecimal(text, digits, int(f.scale))
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
func (f *fileColumn) appendText(text, raw []byte, o *chunk.Options) []byte {
	switch {
	case f.logical == logicalUUID:
		return appendUUID(text, raw)
	case f.logical == logicalTime:
		return appendClock(text, f.integer(raw), f.unit)
	case f.isText():
		return append(text, raw...)
	case f.physical == parquetBoolean:
		return strconv.AppendBool(text, raw[0] != 0)
	case f.physical == parquetInt96:
		return appendStamp(text, int96Time(raw), false)
	case f.logical == logicalDate:
		return time.Unix(f.integer(raw)*secondsPerDay, 0).UTC().AppendFormat(text, time.DateOnly)
	case f.logical == logicalStamp:
		t := unitTime(f.integer(raw), f.unit)
		if f.days && t.Unix()%secondsPerDay == 0 && t.Nanosecond() == 0 {
			return t.AppendFormat(text, time.DateOnly)
		}
		return appendStamp(text, t, f.utc)
	case f.logical == logicalDecimal:
		return withPoint(o, f.decimalText(text, raw), len(text))
	case f.physical == parquetFloat, f.physical == parquetDouble, f.logical == logicalFloat16:
		return withPoint(o, append(text, FormatNumber(f.number(raw))...), len(text))
	case f.unsigned && f.physical == parquetInt64:
		return strconv.AppendUint(text, binary.LittleEndian.Uint64(raw), 10)
	}
	return strconv.AppendInt(text, f.integer(raw), 10)
}

// withPoint gives the number that begins at text[start] the decimal point in use.
func withPoint(o *chunk.Options, text []byte, start int) []byte {
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

// appendClock appends a time of day as hh:mm:ss with the digits of a fraction that
// are not zero.
func appendClock(text []byte, v, perSecond int64) []byte {
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
