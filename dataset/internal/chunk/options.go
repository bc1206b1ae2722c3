package chunk

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"boost/dataset/internal/plain"
	"boost/internal/comm"
)

// Options is how a table is read and what its columns are for.
type Options struct {
	Roles
	Dialect
	LibSVM
	FormatChoice
	Limits
	Sizes
	Selection

	Schema       *Schema // of a model; nil infers types
	Categorical  []string
	Parse        map[string]string // by column, "" for all others: how its numbers are written; see parse.go
	SkipBadRows  bool
	NeedLabel    bool
	DropTextLike bool
	Lenient      bool
	NoSpool      bool
	Once         bool // a copy of standard input is made only where its format needs one
	NoSideFiles  bool
	InOrder      bool
	AllIDs       bool  // every column is an id too
	Err          error // the first option that made no sense
}

// Roles are the names of columns that are no plain features.
type Roles struct {
	Labels     []string
	Weight     string
	Group      string
	Event      string
	Position   string
	Upper      string
	InitScores []string
	IDs        []string
	Ignore     []string
}

// Dialect is how cells are written.
type Dialect struct {
	Missing        []string  // cells without a value
	OnlyMissing    []string  // what Missing began with; nil is DefaultMissing, less what the schema has as values
	MissingNumbers []float64 // the numbers among Missing
	Decimal        byte
	PointInstead   bool             // the schema has a decimal comma, and this table decimal points
	Encoding       *charmap.Charmap // nil is UTF-8
	Said           Said
	KeepBlanks     bool  // blanks around cells without quotes are part of them
	Separator      byte  // 0 is found from the data
	UsualSeparator byte  // that of the schema's table, which is tried first; 0 for none
	Header         *bool // nil is found from the data
	Above          int   // lines of text, or rows of a sheet, above the table, which are not read
}

// LibSVM is what a LibSVM file leaves open.
type LibSVM struct {
	AbsentMissing bool // what is not stored is missing, not 0
	IndexBase     int  // smallest index of a feature, -1 is found from the data
}

// FormatChoice is which format the inputs have.
type FormatChoice struct {
	Sheet   string    // of a workbook; "" is the first
	Formats []*Format // all; the first that knows an input reads it, the last takes what no other knows
	Format  *Format   // nil is found from the data
	Opened  *Format   // of the inputs, once the first was looked at
}

// Limits bound the work and the memory of reading.
type Limits struct {
	Threads     int
	MemoryLimit int64 // bytes, 0 is none
	ChunkSize   int   // bytes of text parsed at a time
	ChunkRows   int   // rows of a chunk where the format can choose; 0 leaves it to the format
}

// Selection is which rows a table keeps.
type Selection struct {
	Labelled bool // with a schema too, SkipBadRows leaves out rows without a label

	Chooser func() RowChooser // nil for none
	Chosen  int               // rows that it chooses at most
	Ranks   comm.Comm         // that read the table together; nil for none
	Split   bool              // all of them see all inputs, and each has a part
	AllRows int               // of all of them; 0 for any number
}

// NeedsLabel reports whether every row needs a value in a column.
func (o *Options) NeedsLabel(t *Target) bool {
	return t.Role == LabelRole && (t.Schema == nil || o.SkipBadRows && o.Labelled)
}

// OrSkip adds to what may be done about a bad row that it can be left out, unless ranks read the table together.
func (o *Options) OrSkip(fix string) string {
	if o.Ranks != nil {
		return fix
	}
	return fix + `, or set on_bad_row = "skip" to leave such rows out`
}

func (o *Options) Fail(format string, args ...any) {
	if o.Err == nil {
		o.Err = Errorf(format, args...)
	}
}

// Decode returns text in UTF-8; ok is false if it is not what the encoding promises.
func (d *Dialect) Decode(b []byte) (text string, ok bool) {
	if d.Encoding == nil {
		return string(b), utf8.Valid(b)
	}
	if d.Said.isUTF8(b) {
		return string(b), true
	}
	s, err := d.Encoding.NewDecoder().Bytes(b)
	return string(s), err == nil
}

// IsText reports whether Decode would be ok.
func (d *Dialect) IsText(b []byte) bool {
	if d.Encoding == nil {
		return utf8.Valid(b)
	}
	_, ok := d.Decode(b)
	return ok
}

// IsMissing reports whether a cell, spaces around it not counting, means "no value".
func (d *Dialect) IsMissing(cell []byte) bool {
	cell = plain.Trim(cell)
	for _, token := range d.Missing {
		if string(cell) == token {
			return true
		}
	}
	return false
}

// Separates reports whether a character can stand between cells.
func Separates(sep rune) bool {
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
