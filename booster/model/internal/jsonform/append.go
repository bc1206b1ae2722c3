package jsonform

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Append writes v in the one form that model files use: keys sorted by bytes, no
// spaces, shortest decimal floats, and only what must be escaped. encoding/json is
// not used for it because its output may change with the Go version, and the bytes
// of a model may not. v is made of nil, bool, string, int, float64 (finite),
// json.Number, []any and map[string]any; another type is a programmer's error.
func Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case float64:
		return AppendNumber(b, v)
	case json.RawMessage: // in this form already
		return append(b, v...)
	case appender:
		return v(b)
	case json.Number:
		return append(b, v...)
	case string:
		return AppendString(b, v)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, key), ':')
			b = Append(b, v[key])
		}
		return append(b, '}')
	default:
		panic(fmt.Sprintf("model: no JSON form for %T", v))
	}
}

// appender writes its own form.
type appender func(b []byte) []byte

// Lazy is List for a long slice: its elements are written one after another, and take no form of their own.
func Lazy[T any](values []T, write func(b []byte, v T) []byte) appender {
	return func(b []byte) []byte {
		b = append(b, '[')
		for i, v := range values {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, v)
		}
		return append(b, ']')
	}
}

// AppendNumber appends a finite number in its shortest form.
func AppendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// AppendText appends a name that may hold any bytes, as Text.
func AppendText(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return AppendString(b, s)
	}
	return Append(b, Text(s).Form())
}

// AppendString appends UTF-8 text.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// List turns a slice into the form that Append takes.
func List[T any](values []T, form func(T) any) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = form(v)
	}
	return out
}

// Text is a name that may hold any bytes. JSON holds UTF-8 only, so other names are
// written as {"hex":"…"}.
type Text string

// Form returns what Append takes.
func (t Text) Form() any {
	if utf8.ValidString(string(t)) {
		return string(t)
	}
	return map[string]any{"hex": hex.EncodeToString([]byte(t))}
}

// UnmarshalJSON reads either form.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	var other struct{ Hex string }
	if err := json.Unmarshal(data, &other); err != nil {
		return err
	}
	raw, err := hex.DecodeString(other.Hex)
	*t = Text(raw)
	return err
}
