package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"boost/binning"
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
	for rest := afterSpace(array[1:]); rest[0] != ']'; {
		var element []byte
		element, rest = cutValue(rest)
		if err := show(element); err != nil {
			return err
		}
		if rest = afterSpace(rest); rest[0] == ',' {
			rest = afterSpace(rest[1:])
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
	textList    []Text
	columnList  []dataset.ColumnSchema
	historyList []History
	segmentList []Segment
	wideList    []WideRound
	printList   []string
	entryList   []SectionEntry
)

func (l *numberList) UnmarshalJSON(b []byte) (err error) {
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
	*l, err = readList(b, len(`""`), isText, func(text []byte, to *Text) error {
		if text[0] == '"' {
			*to = Text(unquote(text))
			return nil
		}
		if len(text) < len(`{"hex":"00"}`) {
			return fmt.Errorf("%s is no name", text)
		}
		return json.Unmarshal(text, to)
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
		*to = dataset.ColumnSchema{Name: string(e.Name), Role: dataset.Role(role), Kind: dataset.Kind(kind), NumericLevels: e.NumericLevels}
		return nil
	})
	return err
}

func (l *historyList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"metric":"a","set":"a"}`), isObject, func(text []byte, to *History) error {
		var e historyEntry
		err := json.Unmarshal(text, &e)
		*to = History{Set: string(e.Set), Metric: string(e.Metric), Values: e.Values}
		return err
	})
	return err
}

// The lists of a model in JSON.
type (
	featureList []featureForm
	levelsList  []textList
	codeList    []uint32
	cutList     []float64
)

func (l *featureList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`{"name":""}`), isObject, readJSON[featureForm])
	return err
}

func (l *levelsList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, len(`[]`), isList, func(text []byte, to *textList) error { return to.UnmarshalJSON(text) })
	return err
}

func (l *codeList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, 1, isNumber+orNull, func(text []byte, to *uint32) error {
		if string(text) == "null" {
			*to = binning.NoCode
			return nil
		}
		code, err := strconv.ParseUint(string(text), 10, 32)
		*to = uint32(code)
		return err
	})
	return err
}

func (l *cutList) UnmarshalJSON(b []byte) (err error) {
	*l, err = readList(b, 1, isNumber+`"`, func(text []byte, to *float64) error {
		if string(text) == `"-inf"` {
			*to = math.Inf(-1)
			return nil
		}
		return readNumber(text, to)
	})
	return err
}

// valueList is numbers of which some are null.
type valueList []*float64

func (l *valueList) UnmarshalJSON(b []byte) error {
	n, err := countElements(b, 1, isNumber+orNull)
	if n < 0 || err != nil {
		*l = nil
		return err
	}
	values, numbers := make([]*float64, 0, n), make([]float64, n)
	*l = values
	return eachElement(b, func(element []byte) error {
		i := len(*l)
		*l = (*l)[:i+1]
		if element[0] == 'n' {
			return nil
		}
		(*l)[i] = &numbers[i]
		return readNumber(element, &numbers[i])
	})
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
