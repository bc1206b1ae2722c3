package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// CanonicalObject checks that text is one JSON object and writes it with sorted keys
// and without spaces; numbers keep their digits. Beside the text it takes 40 bytes for each key of an object.
func CanonicalObject(text json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(text) {
		var value json.RawMessage
		return nil, fmt.Errorf("not one JSON object: %w", json.Unmarshal(text, &value))
	}
	text = bytes.TrimSpace(text)
	switch {
	case string(text) == "null":
		return nil, errors.New("null instead of a JSON object")
	case text[0] != '{':
		return nil, errors.New("not one JSON object")
	}
	out, _, err := appendCanonical(make([]byte, 0, len(text)), text, 0)
	return out, err
}

// mostNested is how deep lists and objects may lie in each other. Each level is read once more than the one
// around it.
const mostNested = 64

// mostMembers is how many keys an object may have. In memory a key takes ten times as much as its text.
const mostMembers = 1 << 14

// member is a key of an object with its value, as they are written.
type member struct {
	key, value []byte
}

// appendCanonical appends the value at the front of text, which is valid JSON, as Append would write it. It
// returns what follows the value.
func appendCanonical(b, text []byte, depth int) (out, rest []byte, err error) {
	if text = AfterSpace(text); depth > mostNested {
		return b, text, fmt.Errorf("lists and objects lie in each other more than %d times", mostNested)
	}
	switch text[0] {
	case '"':
		raw, rest := cutString(text)
		return AppendString(b, Unquote(raw)), rest, nil
	case '[':
		b, text = append(b, '['), AfterSpace(text[1:])
		for text[0] != ']' {
			if b, text, err = appendCanonical(b, text, depth+1); err != nil {
				return b, text, err
			}
			if text = AfterSpace(text); text[0] == ',' {
				b, text = append(b, ','), text[1:]
			}
		}
		return append(b, ']'), text[1:], nil
	case '{':
		members, rest, err := cutMembers(text)
		if err != nil {
			return b, text, err
		}
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, Unquote(m.key)), ':')
			if b, _, err = appendCanonical(b, m.value, depth+1); err != nil {
				return b, text, err
			}
		}
		return append(b, '}'), rest, nil
	}
	raw, rest := CutValue(text)
	return append(b, raw...), rest, nil
}

// cutMembers takes an object apart: its members by their keys, of equal keys the last.
func cutMembers(text []byte) (members []member, rest []byte, err error) {
	text = AfterSpace(text[1:])
	for text[0] != '}' {
		var m member
		m.key, text = cutString(text)
		text = AfterSpace(AfterSpace(text)[1:]) // the colon
		m.value, text = CutValue(text)
		if members = append(members, m); len(members) > mostMembers {
			return nil, nil, fmt.Errorf("an object has more than %d keys", mostMembers)
		}
		if text = AfterSpace(text); text[0] == ',' {
			text = AfterSpace(text[1:])
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare([]byte(Unquote(a.key)), []byte(Unquote(b.key))) })
	kept := members[:0]
	for i, m := range members {
		if i+1 < len(members) && Unquote(m.key) == Unquote(members[i+1].key) {
			continue
		}
		kept = append(kept, m)
	}
	return kept, text[1:], nil
}

// Unquote returns the text of a JSON string.
func Unquote(raw []byte) string {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// AfterSpace returns text without the white space at its front.
func AfterSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

// cutString takes a JSON string off the front of text.
func cutString(text []byte) (raw, rest []byte) {
	i := 1
	for ; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return text[:i+1], text[i+1:]
}

// CutValue takes a JSON value off the front of text, which is valid JSON and begins with it.
func CutValue(text []byte) (raw, rest []byte) {
	i, depth := 0, 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			raw, _ := cutString(text[i:])
			i += len(raw)
			if depth == 0 {
				return text[:i], text[i:]
			}
			continue
		case '[', '{':
			depth++
		case ']', '}', ',':
			if depth == 0 {
				return bytes.TrimSpace(text[:i]), text[i:]
			}
			if c != ',' {
				if depth--; depth == 0 {
					return text[:i+1], text[i+1:]
				}
			}
		}
		i++
	}
	return bytes.TrimSpace(text), nil
}
