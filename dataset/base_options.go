package dataset

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

type options struct {
	label, weight string
	group         string
	initScores    []string
	ids           []string
	ignore        []string
	categorical   []string
	missing       []string // nil is DefaultMissing, less what the schema has as values
	decimal       byte
	encoding      *charmap.Charmap // nil is UTF-8
	separator     byte             // 0 is found from the data
	header        *bool            // nil is found from the data
	skipBadRows   bool
	schema        *Schema
	threads       int
	noSpool       bool
	once          bool // a copy of standard input is made only where its format needs one
	noSideFiles   bool
	needLabel     bool
	dropTextLike  bool
	lenient       bool
	formats       []*format // all; the first that knows an input reads it, the last takes what no other knows
	format        *format   // nil is found from the data
	opened        *format   // of the inputs, once the first was looked at
	memoryLimit   int64     // bytes, 0 is none

	missingNumbers []float64 // the numbers among missing

	absentMissing bool // LibSVM: what is not stored is missing, not 0
	indexBase     int  // LibSVM: smallest index of a feature, -1 is found from the data

	chunkSize int               // bytes of text parsed at a time
	chunkRows int               // rows of a chunk where the format can choose; 0 leaves it to the format
	chooser   func() RowChooser // of the rows that a Scan keeps; nil for none
	chosen    int               // rows that it chooses at most
	err       error             // the first option that made no sense
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = complain(format, args...)
	}
}

// decode returns text in UTF-8; ok is false if it is not what the encoding promises.
func (o *options) decode(b []byte) (text string, ok bool) {
	if o.encoding == nil {
		return string(b), utf8.Valid(b)
	}
	s, err := o.encoding.NewDecoder().Bytes(b)
	return string(s), err == nil
}

// isMissing tells whether a cell, spaces around it not counting, means "no value".
func (o *options) isMissing(cell []byte) bool {
	cell = trim(cell)
	for _, token := range o.missing {
		if string(cell) == token {
			return true
		}
	}
	return false
}

// separates tells whether a character can stand between cells.
func separates(sep rune) bool {
	return sep > 0 && sep <= 127 && !strings.ContainsRune("\r\n\".+-", sep) && (sep < '0' || sep > '9')
}

// RowChooser chooses some rows of a table while it passes by, as binning.Sample does.
type RowChooser interface {
	// Add shows the rows lo … hi, which follow those shown before. It appends to
	// candidates those that may be chosen.
	Add(lo, hi int, candidates []uint32) []uint32
	// Rows returns the chosen ones of the rows shown so far, ascending.
	Rows() []uint32
}
