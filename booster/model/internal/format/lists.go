package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"boost/binning"
	"boost/booster/model/internal/jsonform"
	"boost/booster/model/internal/packed"
	"boost/dataset"
)

// Lists of a manifest are read in two steps: their elements are counted, and each must begin as such an element does and have
// the bytes that the shortest one takes; then memory is made for so many. A list whose elements say nothing, such as [{},{},{}],
// is refused by the first step: three bytes would become a hundred.

// eachElement shows the elements of a JSON array, or none of null. The text is valid JSON.
func eachElement(array []byte, show func(element []byte) error) error {
	if array[0] != '[' {
		if array[0] == 'n' {
			return nil
		}
		return errors.New("a list was expected")
	}
	for rest := jsonform.AfterSpace(array[1:]); rest[0] != ']'; {
		var element []byte
		element, rest = jsonform.CutValue(rest)
		if err := show(element); err != nil {
			return err
		}
		if rest = jsonform.AfterSpace(rest); rest[0] == ',' {
			rest = jsonform.AfterSpace(rest[1:])
		}
	}
	return nil
}

// countElements returns how many elements a JSON array has, −1 for null. Each has at least so many bytes, and
// begins with one of these.
func countElements(array []byte, least int, begins string) (int, error) {
	if array[0] == 'n' {
		return -1, nil
	}
	n := 0
	return n, eachElement(array, func(element []byte) error {
		if n++; len(element) < least || strings.IndexByte(begins, element[0]) < 0 {
			return fmt.Errorf("%.40s cannot be an element of its list", element)
		}
		return nil
	})
}

// What elements begin with.
const (
	isNumber = "-0123456789"
	orNull   = "n"
	isText   = `"{`
	isList   = "["
	isObject = "{"
)

// readList reads a JSON array of such elements; nil for null.
func readList[T any](array []byte, least int, begins string, read func(element []byte, to *T) error) ([]T, error) {
	n, err := countElements(array, least, begins)
	if n < 0 || err != nil {
		return nil, err
	}
	list := make([]T, 0, n)
	return list, eachElement(array, func(element []byte) error {
		list = list[:len(list)+1]
		return read(element, &list[len(list)-1])
	})
}

// readNumber reads a JSON number.
func readNumber(text []byte, to *float64) (err error) {
	if *to, err = strconv.ParseFloat(string(text), 64); err != nil {
		err = fmt.Errorf("%.40s is no number", text)
	}
	return err
}

func readJSON[T any](text []byte, to *T) error { return json.Unmarshal(text, to) }

// The lists of a manifest. The least lengths are those of their elements in the fewest letters.
type (
	numberList  []float64
	textList    []string
	columnList  []dataset.ColumnSchema
	historyList []History
	segmentList []Segment
	wideList    []WideRound
	printList   []string
	entryList   []SectionEntry
)

func (l *numberList) UnmarshalJSON(b []byte) error {
	n, err := countElements(b, 1, isNumber)
	if err != nil {
		return err
	}
	if n > mostOutputs {
		return fmt.Errorf("%d numbers, one for each output, are more than %d", n, mostOutputs)
	}
	*l, err = readList(b, 1, isNumber, readNumber)
	return err
}

func (l *textList) UnmarshalJSON(b []byte) (err error) {
	// Names are different: all that are written in few letters are few.
	n, err := countElements(b, len(`""`), isText)
	if err != nil {
		return err
	}
	if packed.LeastLetters(n)+len(`"",`)*n > len(b) {
		return fmt.Errorf("%d different names are not in a list of %d bytes", n, len(b))
	}
	*l, err = readList(b, len(`""`), isText, func(text []byte, to *string) error {
		if text[0] == '"' {
			*to = jsonform.Unquote(text)
			return nil
		}
		if len(text) < len(`{"hex":"00"}`) {
			return fmt.Errorf("%s is no name", text)
		}
		return (*jsonform.Text)(to).UnmarshalJSON(text)
	})
	return err
}

func (l *segmentList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"params":{},"rounds":1}`), isObject, readJSON[Segment])
	return err
}

func (l *wideList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"output":0,"round":0}`), isObject, readJSON[WideRound])
	return err
}

func (l *printList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`""`)+32, `"`, readJSON[string])
	return err
}

func (l *entryList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"crc32c":"00000000","length":0,"name":"cuts","offset":0}`), isObject, readJSON[SectionEntry])
	return err
}

func (l *columnList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"kind":"text","role":"id"}`), isObject, func(text []byte, to *dataset.ColumnSchema) error {
		var e columnEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		role, knownRole := indexOf(roleNames, e.Role)
		kind, knownKind := indexOf(KindNames, e.Kind)
		if !knownRole || !knownKind {
			return fmt.Errorf("column %q has role %q and kind %q", string(e.Name), e.Role, e.Kind)
		}
		*to = dataset.ColumnSchema{Name: string(e.Name), Role: dataset.Role(role), Kind: dataset.Kind(kind), NumericLevels: e.NumericLevels, Written: string(e.Written), Dates: e.Dates}
		for _, name := range e.Crossed {
			to.Crossed = append(to.Crossed, string(name))
		}
		return nil
	})
	return err
}

func (l *historyList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"metric":"a","set":"a"}`), isObject, func(text []byte, to *History) error {
		var e historyEntry
		err := json.Unmarshal(text, &e)
		*to = History{Set: string(e.Set), Metric: string(e.Metric), text: e.Values}
		return err
	})
	return err
}

// The lists of a model in JSON.
type (
	featureList []featureForm
	levelsList  []textList
)

func (l *featureList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"name":""}`), isObject, readJSON[featureForm])
	return err
}

func (l *levelsList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`[]`), isList, func(text []byte, to *textList) error { return to.UnmarshalJSON(text) })
	return err
}

// listText is the text of a list: a part of what is read, which nothing changes. Memory for what it says is made
// when it is known how long it has to be.
type listText []byte

func (l *listText) UnmarshalJSON(b []byte) error {
	*l = b
	return nil
}

// len returns how many elements there are, each of which begins with one of these; 0 for null, or without a text.
func (l listText) len(begins string) (int, error) {
	if l == nil {
		return 0, nil
	}
	n, err := countElements(l, 1, begins)
	return max(n, 0), err
}

// listOf reads a list; nil for null, or without a text.
func listOf[T any](l listText, begins string, read func(element []byte, to *T) error) ([]T, error) {
	if l == nil {
		return nil, nil
	}
	return readList(l, 1, begins, read)
}

func readCode(text []byte, to *uint32) error {
	if string(text) == "null" {
		*to = binning.NoCode
		return nil
	}
	code, err := strconv.ParseUint(string(text), 10, 32)
	*to = uint32(code)
	return err
}

func readIndex(text []byte, to *int32) error {
	n, err := strconv.ParseInt(string(text), 10, 32)
	*to = int32(n)
	return err
}

func readBool(text []byte, to *bool) error {
	if *to = text[0] == 't'; text[0] == 'n' {
		return errors.New("null instead of true or false")
	}
	return nil
}

func readNumber32(text []byte, to *float32) error {
	x, err := strconv.ParseFloat(string(text), 32)
	if *to = float32(x); err != nil {
		err = fmt.Errorf("%.40s is no number", text)
	}
	return err
}

func readCut(text []byte, to *float64) error {
	if string(text) == `"-inf"` {
		*to = math.Inf(-1)
		return nil
	}
	return readNumber(text, to)
}

// valueText is the text of a list of numbers of which some are null. It stays a text until all else is known to be
// sound: in memory a number takes up to eight times as much.
type valueText []byte

func (l *valueText) UnmarshalJSON(b []byte) error {
	if b[0] == 'n' {
		b = []byte("[]")
	}
	*l = b // a part of the text that is read, which nothing changes
	var x float64
	return eachElement(b, func(element []byte) error {
		if element[0] == 'n' {
			return nil
		}
		return readNumber(element, &x)
	})
}

// appendTo appends the list in the form of model files.
func (l valueText) appendTo(b []byte) []byte {
	b = append(b, '[')
	first := true
	_ = eachElement(l, func(element []byte) error { // every element was read before
		if !first {
			b = append(b, ',')
		}
		if first = false; element[0] == 'n' {
			b = append(b, "null"...)
			return nil
		}
		var x float64
		_ = readNumber(element, &x)
		b = jsonform.AppendNumber(b, x)
		return nil
	})
	return append(b, ']')
}

func (l valueText) values() []*float64 {
	n, numbers := 0, 0
	_ = eachElement(l, func(element []byte) error {
		if n++; element[0] != 'n' {
			numbers++
		}
		return nil
	})
	values, all := make([]*float64, 0, n), make([]float64, numbers)
	_ = eachElement(l, func(element []byte) error {
		if values = values[:len(values)+1]; element[0] != 'n' {
			values[len(values)-1] = &all[0]
			_ = readNumber(element, &all[0])
			all = all[1:]
		}
		return nil
	})
	return values
}

// ReadHistory makes numbers of the texts of the history.
func (c *Contents) ReadHistory() {
	for i := range c.History {
		if h := &c.History[i]; h.text != nil {
			h.Values, h.text = h.text.values(), nil
		}
	}
}

// FirstValue returns the text up to the end of the first JSON object, all of it if there is none.
func FirstValue(text []byte) []byte {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}
