package packed

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"boost/dataset"
	"boost/internal/entropy"
)

// Packed texts are bytes through entropy.Text. Those of up to TextLong bytes hold at most TextPerByte times as
// many as the section has, and a little; what is longer at most TextLongPerByte times. A writer adds zeros where
// it would be more.
const (
	TextPerByte     = 64
	TextRoom        = 4096
	TextLong        = 8 << 20
	TextLongPerByte = 8
)

// mostText is how long a text of a section may be.
func mostText(section int) int {
	return min(TextPerByte*section+TextRoom, TextLong+TextLongPerByte*section)
}

// leastSection is how long the section of a text must be.
func leastSection(text int) int {
	return max((text-TextRoom+TextPerByte-1)/TextPerByte, (text-TextLong+TextLongPerByte-1)/TextLongPerByte)
}

// texts are coders of text that nothing uses: each has 256 KiB, and a file has one or two texts.
var texts = sync.Pool{New: func() any { return new(entropy.Text) }}

// aboutBefore is a text such as the about part holds. The estimates of that part begin as they are
// after it, so that what all models have in common takes next to nothing.
//
//go:embed about.txt
var aboutBefore []byte

// aboutLearnt has learnt it; it is not changed.
var aboutLearnt = sync.OnceValue(func() *entropy.Text {
	t := &entropy.Text{}
	t.Reset()
	t.Learn(aboutBefore)
	return t
})

// PackText returns a packed text.
func PackText(text []byte) []byte { return packAfter(nil, text) }

// UnpackText reads the bytes of PackText.
func UnpackText(b []byte) ([]byte, error) { return unpackAfter(nil, b) }

// PackAbout is PackText for the about part.
func PackAbout(text []byte) []byte { return packAfter(aboutLearnt(), text) }

// UnpackAbout reads the bytes of PackAbout.
func UnpackAbout(b []byte) ([]byte, error) { return unpackAfter(aboutLearnt(), b) }

// textAfter returns a coder with what another one, if any, has learnt. It goes back to texts.
func textAfter(learnt *entropy.Text) *entropy.Text {
	t := texts.Get().(*entropy.Text)
	if learnt == nil {
		t.Reset()
	} else {
		t.Copy(learnt)
	}
	return t
}

func packAfter(learnt *entropy.Text, text []byte) []byte {
	t := textAfter(learnt)
	defer texts.Put(t)
	var length entropy.Number
	c := entropy.NewWriter(nil)
	t.Write(c, &length, text)
	b := c.Close()
	if least := leastSection(len(text)); len(b) < least {
		b = append(b, make([]byte, least-len(b))...)
	}
	return b
}

func unpackAfter(learnt *entropy.Text, b []byte) ([]byte, error) {
	t := textAfter(learnt)
	defer texts.Put(t)
	var length entropy.Number
	c := entropy.NewReader(b)
	return t.Read(c, &length, mostText(len(b)))
}

// PackDictionaries returns the levels of the category columns as a packed text: for each
// column their number in a line, and each level in a line, in which a backslash stands before
// line ends and backslashes. Nothing for a schema without such columns.
func PackDictionaries(s dataset.Schema) []byte {
	var text []byte
	for i := range s.Columns {
		if s.Columns[i].Kind != dataset.Category {
			continue
		}
		text = fmt.Appendf(text, "%d\n", len(s.Columns[i].Levels))
		for _, level := range s.Columns[i].Levels {
			for k := range len(level) {
				if level[k] == '\n' || level[k] == '\\' {
					text = append(text, '\\')
				}
				text = append(text, level[k])
			}
			text = append(text, '\n')
		}
	}
	if len(text) == 0 {
		return nil
	}
	return PackText(text)
}

// UnpackDictionaries gives the category columns the levels of PackDictionaries.
func UnpackDictionaries(b []byte, s dataset.Schema) error {
	var text []byte
	if len(b) > 0 {
		var err error
		if text, err = UnpackText(b); err != nil {
			return err
		}
	}
	for i := range s.Columns {
		if s.Columns[i].Kind != dataset.Category {
			continue
		}
		var line []byte
		var ok bool
		if line, text, ok = cutLine(text); !ok {
			return fmt.Errorf("the levels of column %q are missing", s.Columns[i].Name)
		}
		count := 0
		for _, digit := range line {
			if count = 10*count + int(digit-'0'); digit < '0' || digit > '9' || count > len(text) {
				return fmt.Errorf("column %q has %q levels in %d bytes", s.Columns[i].Name, line, len(text))
			}
		}
		if count > len(text) || LeastLetters(count) > len(text)-count {
			return fmt.Errorf("%d different levels of column %q are not in %d bytes", count, s.Columns[i].Name, len(text))
		}
		// The levels are parts of one text: each by itself would take 16 bytes more.
		levels, ends := make([]string, count), make([]uint32, count)
		var all []byte
		for k := range levels {
			if line, text, ok = cutLine(text); !ok {
				return fmt.Errorf("level %d of column %q is missing", k, s.Columns[i].Name)
			}
			all = append(all, line...)
			ends[k] = uint32(len(all))
		}
		whole, start := string(all), uint32(0)
		for k, end := range ends {
			levels[k], start = whole[start:end], end
		}
		s.Columns[i].Levels = levels
	}
	if len(text) > 0 {
		return fmt.Errorf("%d bytes belong to no column", len(text))
	}
	return nil
}

// LeastLetters is how many bytes n different texts have at least: one has none, 256 have one, 65,536 two.
func LeastLetters(n int) int {
	return max(n-1, 0) + max(n-1-1<<8, 0) + max(n-1-1<<8-1<<16, 0)
}

// cutLine takes a line off the front of text and its backslashes off the line.
func cutLine(text []byte) (line, rest []byte, ok bool) {
	if end := bytes.IndexByte(text, '\n'); end >= 0 && bytes.IndexByte(text[:end], '\\') < 0 {
		return text[:end], text[end+1:], true
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return line, text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return nil, nil, false
			}
		}
		line = append(line, text[i])
	}
	return nil, nil, false
}
