package chunk

import (
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"boost/dataset/internal/plain"
)

// Written is how the text of a table was written, where options said so and it is not the usual way. A model keeps it, and
// tables that are read with its schema are read so unless an option says another way.
type Written struct {
	Missing   []string `json:"missing,omitempty"`   // all texts of cells without a value; nil is DefaultMissing
	Decimal   string   `json:"decimal,omitempty"`   // ","
	Encoding  string   `json:"encoding,omitempty"`  // "latin1" or "cp1252"
	Separator string   `json:"separator,omitempty"` // between cells, where it was named
	Header    string   `json:"header,omitempty"`    // "true" or "false", where it was said
	Absent    string   `json:"absent,omitempty"`    // "missing": what a LibSVM file means by a feature that a row does not name
}

// IsUsual reports whether nothing is kept.
func (w *Written) IsUsual() bool {
	return w.Missing == nil && w.Decimal == "" && w.Encoding == "" && w.Separator == "" && w.Header == "" && w.Absent == ""
}

// Check returns an error if no table can be written like this.
func (w *Written) Check() error {
	_, known := Encodings[w.Encoding]
	switch {
	case w.Decimal != "" && w.Decimal != ",":
		return Errorf("decimal mark %q", w.Decimal)
	case w.Encoding != "" && (!known || Encodings[w.Encoding] == nil):
		return Errorf("encoding %q", w.Encoding)
	case w.Separator != "" && (len(w.Separator) != 1 || !Separates(rune(w.Separator[0]))):
		return Errorf("separator %q", w.Separator)
	case w.Header != "" && w.Header != "true" && w.Header != "false":
		return Errorf("header %q", w.Header)
	case w.Absent != "" && w.Absent != "missing":
		return Errorf("absent %q", w.Absent)
	}
	return nil
}

// UsualMissing are the texts that mean "no value" by default.
var UsualMissing = []string{"", "NA", "NaN", "nan", "null", "None", "?", "N/A"}

// Encodings are the encodings of text by name, nil for UTF-8.
var Encodings = map[string]*charmap.Charmap{"utf-8": nil, "latin1": charmap.ISO8859_1, "cp1252": charmap.Windows1252}

// Said is which ways of writing an option gave; the others are the schema's, or the usual ones.
type Said struct {
	Decimal, Encoding, Absent bool
	// Both is set where the encoding is the schema's: cells that are UTF-8 are read as such, with a note.
	Both *atomic.Bool
}

// Recall takes the ways of writing that no option gave from the schema. The caller recalls the texts of missing
// cells.
func (o *Options) Recall() {
	var w Written
	if o.Schema != nil {
		w = o.Schema.Written
	}
	if o.Decimal == 0 {
		o.Decimal = '.'
		if w.Decimal != "" {
			o.Decimal = w.Decimal[0]
		}
	}
	if !o.Said.Encoding {
		if o.Encoding = Encodings[w.Encoding]; o.Encoding != nil {
			o.Said.Both = new(atomic.Bool)
		}
	}
	if !o.Said.Absent {
		o.AbsentMissing = w.Absent == "missing"
	}
	if o.Separator == 0 && w.Separator != "" {
		o.UsualSeparator = w.Separator[0]
	}
	if o.Header == nil && w.Header != "" {
		o.Header = new(w.Header == "true")
	}
}

// RecallMissing completes the texts of cells that mean "no value": those that options gave, and those of the schema, or the usual ones.
func (o *Options) RecallMissing() {
	words := slices.Clip(o.OnlyMissing)
	if words == nil && o.Schema != nil {
		words = slices.Clip(o.Schema.Written.Missing)
	}
	if words == nil {
		words = slices.Clone(UsualMissing)
		if o.Schema != nil {
			words = slices.DeleteFunc(words, o.Schema.HasLevel)
		}
	}
	for _, word := range o.Missing {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	o.Missing = words
	for _, word := range words {
		if v, ok := plain.ParseNumber([]byte(word), o.Decimal); ok && v == v {
			o.MissingNumbers = append(o.MissingNumbers, v)
		}
	}
}

// Writing returns what a model keeps of the options.
func (o *Options) Writing() Written {
	var w Written
	// Fewer words than usual need not be kept: those that are levels are so in the model, and others are none of its.
	if slices.ContainsFunc(o.Missing, func(word string) bool { return !slices.Contains(UsualMissing, word) }) {
		w.Missing = slices.Compact(slices.Sorted(slices.Values(o.Missing)))
	}
	if o.Decimal != '.' {
		w.Decimal = string(rune(o.Decimal))
	}
	for name, encoding := range Encodings {
		if encoding == o.Encoding && encoding != nil {
			w.Encoding = name
		}
	}
	if sep := max(o.Separator, o.UsualSeparator); sep != 0 {
		w.Separator = string(rune(sep))
	}
	if o.Header != nil {
		w.Header = map[bool]string{true: "true", false: "false"}[*o.Header]
	}
	if o.AbsentMissing {
		w.Absent = "missing"
	}
	return w
}

// isUTF8 reports whether a cell is UTF-8 beyond ASCII, and notes it.
func (s *Said) isUTF8(cell []byte) bool {
	if s.Both == nil || !utf8.Valid(cell) || !slices.ContainsFunc(cell, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return false
	}
	s.Both.Store(true)
	return true
}
