package cache

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A list in JSON can say nothing in three bytes, {}, that take a hundred in memory. Here a list is counted before memory is
// made for it, and its elements have at least the bytes that a writer gives the shortest one.

// elements shows the elements of a JSON list, or none of null. Each has at least so many bytes.
func elements(in io.Reader, least int, show func(element []byte) error) error {
	d := json.NewDecoder(in)
	open, err := d.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('[') {
		return errors.New("a list was expected")
	}
	var element json.RawMessage
	for d.More() {
		if err := d.Decode(&element); err != nil {
			return err
		}
		if len(element) < least {
			return fmt.Errorf("%s is no element of its list", element)
		}
		if err := show(element); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// eachOf shows the elements of a list, which is valid JSON, or none of null. Each has at least so many bytes.
func eachOf(b []byte, least int, show func(element []byte) error) error {
	if b = bytes.TrimSpace(b); b[0] != '[' {
		if b[0] == 'n' {
			return nil
		}
		return errors.New("a list was expected")
	}
	begin, depth := 1, 0
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			continue
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth >= 0 {
				continue
			}
		case ',':
			if depth > 0 {
				continue
			}
		default:
			continue
		}
		element := bytes.TrimSpace(b[begin:i])
		if begin = i + 1; len(element) == 0 {
			return nil // of an empty list
		}
		if len(element) < least {
			return fmt.Errorf("%s is no element of its list", element)
		}
		if err := show(element); err != nil {
			return err
		}
	}
	return nil
}

// readList reads a list, which is valid JSON, of at least so many bytes for each element.
func readList[T any](b []byte, least int) ([]T, error) {
	n := 0
	if err := eachOf(b, least, func([]byte) error { n++; return nil }); err != nil || n == 0 {
		return nil, err
	}
	list := make([]T, 0, n)
	return list, eachOf(b, least, func(element []byte) error {
		list = list[:len(list)+1]
		return json.Unmarshal(element, &list[len(list)-1])
	})
}

// The lists of a manifest and of a schema. The least lengths are those of the shortest elements that are written.
type (
	files    []File
	tables   []Table
	sets     []setEntry
	notes    []string
	settings map[string]json.RawMessage
	numbers  []uint32
	levels   []string
)

func (l *files) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList[File](b, len(`{"name":"","size":0,"time":0,"sha256":""}`)+64)
	return err
}

func (l *tables) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList[Table](b, len(`{"options":"","files":null}`))
	return err
}

// mostSets is how many sets a cache may have: the training rows, those held out, and validation sets.
const mostSets = 1 << 12

func (l *sets) UnmarshalJSON(b []byte) (err error) {
	n := 0
	err = eachOf(b, 0, func([]byte) error {
		if n++; n > mostSets {
			return fmt.Errorf("more than %d sets", mostSets)
		}
		return nil
	})
	if err != nil {
		return err
	}
	*l, err = readList[setEntry](b, len(`{"codes":{"rows":0,"features":[]}}`))
	return err
}

// Notes are sentences.
func (l *notes) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList[string](b, len(`"a sentence."`))
	return err
}

// mostSettings is more than the settings of binning take.
const mostSettings = 64 << 10

func (l *settings) UnmarshalJSON(b []byte) error {
	if len(b) > mostSettings {
		return fmt.Errorf("%d bytes of settings", len(b))
	}
	return json.Unmarshal(b, (*map[string]json.RawMessage)(l))
}

func (l *numbers) UnmarshalJSON(b []byte) (err error) {
	if string(b) == "null" {
		return nil
	}
	list := make([]uint32, 0, bytes.Count(b, []byte(","))+1)
	err = splitList(b, func(element []byte) error {
		number, err := strconv.ParseUint(string(element), 10, 32)
		list = append(list, uint32(number))
		return err
	})
	*l = list
	return err
}

// splitList shows the elements of a list that holds no lists, objects or texts with commas.
func splitList(b []byte, show func(element []byte) error) error {
	if b = bytes.TrimSpace(b); len(b) < 2 || b[0] != '[' {
		return errors.New("a list was expected")
	}
	for rest := bytes.TrimSpace(b[1 : len(b)-1]); len(rest) > 0; {
		element, after, _ := bytes.Cut(rest, []byte(","))
		if err := show(bytes.TrimSpace(element)); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// MarshalJSON writes texts in base64: they may have any bytes.
func (l levels) MarshalJSON() ([]byte, error) {
	b := []byte("[")
	for i, level := range l {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(base64.StdEncoding.AppendEncode(append(b, '"'), []byte(level)), '"')
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads texts in base64. Levels are different: all that are written in few letters are few.
func (l *levels) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, letters := bytes.Count(b, []byte(",")), 0
	if leastLetters(n+1)+len(`"",`)*n > len(b) {
		return fmt.Errorf("%d different levels are not in a list of %d bytes", n+1, len(b))
	}
	err := splitList(b, func(element []byte) error {
		if len(element) < 2 || element[0] != '"' {
			return fmt.Errorf("%.40s is no level", element)
		}
		letters += base64.StdEncoding.DecodedLen(len(element) - 2)
		return nil
	})
	if err != nil {
		return err
	}
	// They are parts of one text.
	all, list, ends := make([]byte, 0, letters), make([]string, 0, n+1), make([]int32, 0, n+1)
	if err := splitList(b, func(element []byte) (err error) {
		all, err = base64.StdEncoding.AppendDecode(all, element[1:len(element)-1])
		ends = append(ends, int32(len(all)))
		return err
	}); err != nil {
		return err
	}
	text, from := string(all), int32(0)
	for _, end := range ends {
		list, from = append(list, text[from:end]), end
	}
	*l = list
	return nil
}

// leastLetters is how many bytes n different texts have at least: one has none, 256 have one, 65,536 two.
func leastLetters(n int) int {
	return max(n-1, 0) + max(n-1-1<<8, 0) + max(n-1-1<<8-1<<16, 0)
}
