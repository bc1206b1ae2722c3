package jsonl

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"boost/dataset/internal/chunk"
)

// visitor takes the cells of a row.
type visitor interface {
	// column returns the number of the column of a name, which is valid until the next call; less than 0
	// where its values are not used.
	column(name []byte) int
	// cell takes the value of a column. text is valid until the next call. A refusal says why.
	cell(column int, v value, text []byte) *refusal
}

// value is the kind of the value after a key.
type value uint8

const (
	null   value = iota
	text         // its content, without escapes
	number       // as it is written
	truth        // true or false
	list         // without its content
)

// refusal is why a row cannot be read.
type refusal struct{ want, fix string }

func refuse(fix, format string, args ...any) *refusal {
	return &refusal{want: fmt.Sprintf(format, args...), fix: fix}
}

// mostDepth is the deepest nesting of values.
const mostDepth = 64

// scanner takes objects apart as RFC 8259 says.
type scanner struct {
	b       []byte // the line, which ends in a line feed
	at      int
	depth   int
	visitor visitor
	path    []byte // the names of the objects around, each with a point behind it
	name    []byte // of the current value, with its path
	content []byte // of the current text, if it has escapes
}

// row reads a line, which ends in a line feed and is not blank.
func (s *scanner) row(line []byte) *refusal {
	s.b, s.at, s.depth, s.path = line, 0, 0, s.path[:0]
	s.blanks()
	if s.b[s.at] != '{' {
		return refuse("write one object a line, like {\"age\": 31, \"city\": \"Oslo\"}", "an object was expected, not %q", s.rest())
	}
	if r := s.object(); r != nil {
		return r
	}
	if s.blanks(); s.at < len(s.b)-1 {
		return refuse("write one object a line", "%q follows the object", s.rest())
	}
	return nil
}

// rest returns the beginning of what is left, for messages.
func (s *scanner) rest() string { return chunk.Excerpt(bytes.TrimRight(s.b[s.at:], "\r\n")) }

// blanks goes to the next byte that is not a blank. The line feed at the end of the line is not one.
func (s *scanner) blanks() {
	for c := s.b[s.at]; c == ' ' || c == '\t' || c == '\r'; c = s.b[s.at] {
		s.at++
	}
}

// expected is the refusal of a byte where something else must stand.
func (s *scanner) expected(what string) *refusal {
	if s.at >= len(s.b)-1 {
		return refuse("an object stands on one line; jq -c . writes it so", "%s was expected before the end of the line", what)
	}
	return refuse("", "%s was expected, not %q (character %d)", what, s.rest(), utf8.RuneCount(s.b[:s.at])+1)
}

// enter goes into an object or a list; leave follows.
func (s *scanner) enter() *refusal {
	if s.depth == mostDepth {
		return refuse("", "values lie in each other more than %d deep", mostDepth)
	}
	s.at++
	s.depth++
	return nil
}

func (s *scanner) leave() { s.depth-- }

// object reads the object that begins at the brace.
func (s *scanner) object() *refusal {
	if r := s.enter(); r != nil {
		return r
	}
	defer s.leave()
	if s.blanks(); s.b[s.at] == '}' {
		s.at++
		return nil
	}
	for {
		if s.b[s.at] != '"' {
			return s.expected("a key in quotes")
		}
		name, r := s.quoted()
		if r != nil {
			return r
		}
		if s.blanks(); s.b[s.at] != ':' {
			return s.expected(`":"`)
		}
		s.at++
		s.blanks()
		if r := s.member(name); r != nil {
			return r
		}
		switch s.blanks(); s.b[s.at] {
		case ',':
			s.at++
			s.blanks()
		case '}':
			s.at++
			return nil
		default:
			return s.expected(`"," or "}"`)
		}
	}
}

// member reads the value of a key.
func (s *scanner) member(name []byte) *refusal {
	if len(s.path) > 0 {
		s.name = append(append(s.name[:0], s.path...), name...)
		name = s.name
	}
	if s.b[s.at] != '{' {
		return s.value(s.visitor.column(name))
	}
	before := len(s.path)
	s.path = append(append(s.path[:0], name...), '.')
	r := s.object()
	s.path = s.path[:min(before, len(s.path))]
	return r
}

var trueText, falseText = []byte("true"), []byte("false")

// value reads a value that is not an object.
func (s *scanner) value(column int) *refusal {
	switch c := s.b[s.at]; {
	case c == '"':
		content, r := s.quoted()
		if r != nil {
			return r
		}
		return s.visitor.cell(column, text, content)
	case c == '-' || c >= '0' && c <= '9':
		start := s.at
		if !s.number() {
			s.at = start
			return s.expected("a number")
		}
		return s.visitor.cell(column, number, s.b[start:s.at])
	case c == '[':
		if r := s.list(); r != nil {
			return r
		}
		return s.visitor.cell(column, list, nil)
	case s.word("null"):
		return s.visitor.cell(column, null, nil)
	case s.word("true"):
		return s.visitor.cell(column, truth, trueText)
	case s.word("false"):
		return s.visitor.cell(column, truth, falseText)
	}
	return s.expected("a value")
}

// word reads a word if it is the next one.
func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.b[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// number reads a number, and reports whether it is one.
func (s *scanner) number() bool {
	if s.b[s.at] == '-' {
		s.at++
	}
	if s.b[s.at] == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.b[s.at] == '.' {
		if s.at++; !s.digits() {
			return false
		}
	}
	if s.b[s.at]|0x20 == 'e' {
		s.at++
		if c := s.b[s.at]; c == '+' || c == '-' {
			s.at++
		}
		return s.digits()
	}
	return true
}

// digits reads one digit or more.
func (s *scanner) digits() bool {
	start := s.at
	for c := s.b[s.at]; c >= '0' && c <= '9'; c = s.b[s.at] {
		s.at++
	}
	return s.at > start
}

// list skips a list.
func (s *scanner) list() *refusal {
	if r := s.enter(); r != nil {
		return r
	}
	defer s.leave()
	if s.blanks(); s.b[s.at] == ']' {
		s.at++
		return nil
	}
	for {
		if r := s.skip(); r != nil {
			return r
		}
		switch s.blanks(); s.b[s.at] {
		case ',':
			s.at++
			s.blanks()
		case ']':
			s.at++
			return nil
		default:
			return s.expected(`"," or "]"`)
		}
	}
}

// skip skips any value in a list.
func (s *scanner) skip() *refusal {
	visitor := s.visitor
	s.visitor = nobody{}
	defer func() { s.visitor = visitor }()
	if s.b[s.at] == '{' {
		return s.object()
	}
	return s.value(-1)
}

// nobody is a visitor that ignores all values.
type nobody struct{}

func (nobody) column([]byte) int                { return -1 }
func (nobody) cell(int, value, []byte) *refusal { return nil }

// quoted reads a text in quotes and returns its content, which is valid until the next call.
func (s *scanner) quoted() ([]byte, *refusal) {
	s.at++
	start := s.at
	for {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return s.b[start : s.at-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < ' ':
			return nil, s.control()
		}
		s.at++
	}
}

// control is the refusal of a control character in a text. The line feed at the end of the line is one.
func (s *scanner) control() *refusal {
	if s.at == len(s.b)-1 {
		return s.expected("the closing quote of a text")
	}
	return refuse("", "the character %s stands in a text: write it as \\u%04x", strconv.QuoteRune(rune(s.b[s.at])), s.b[s.at])
}

// escaped is quoted for a text with escapes, the first of which is the next byte.
func (s *scanner) escaped(start int) ([]byte, *refusal) {
	s.content = append(s.content[:0], s.b[start:s.at]...)
	for {
		c := s.b[s.at]
		switch {
		case c == '"':
			s.at++
			return s.content, nil
		case c < ' ':
			return nil, s.control()
		case c != '\\':
			s.content = append(s.content, c)
			s.at++
			continue
		}
		s.at++
		switch c := s.b[s.at]; c {
		case '"', '\\', '/':
			s.content = append(s.content, c)
		case 'b':
			s.content = append(s.content, '\b')
		case 'f':
			s.content = append(s.content, '\f')
		case 'n':
			s.content = append(s.content, '\n')
		case 'r':
			s.content = append(s.content, '\r')
		case 't':
			s.content = append(s.content, '\t')
		case 'u':
			r, err := s.unicode()
			if err != nil {
				return nil, err
			}
			s.content = utf8.AppendRune(s.content, r)
			continue
		default:
			return nil, s.expected(`one of "\/bfnrtu behind \`)
		}
		s.at++
	}
}

// unicode reads the digits of an escape, and those of the second half of a surrogate pair. A half alone is refused: it is no character,
// and cells with different ones would be one level.
func (s *scanner) unicode() (rune, *refusal) {
	s.at++
	first, ok := s.hex()
	switch {
	case !ok:
		return 0, s.expected("four hexadecimal digits")
	case !utf16.IsSurrogate(first):
		return first, nil
	}
	if s.word(`\u`) {
		if second, ok := s.hex(); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, nil
			}
		}
	}
	return 0, refuse("", `the escape \u%04x is half a character, and UTF-8 has whole ones`, first)
}

// hex reads four hexadecimal digits.
func (s *scanner) hex() (rune, bool) {
	if s.at+4 >= len(s.b) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.b[s.at:s.at+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	s.at += 4
	return rune(v), true
}
