package dataset

import (
	"slices"
	"strings"

	"boost/dataset/internal/chunk"
)

// Option says how a table is read or what its columns are for. An option that
// makes no sense is reported by the function that it is given to.
type Option func(*chunk.Options)

// DefaultMissing lists the cell texts that mean "no value" unless MissingOnly is given. With
// As, those that are levels or classes of the model are values as they were in training.
func DefaultMissing() []string {
	return slices.Clone(chunk.UsualMissing)
}

func newOptions(opts []Option) (*chunk.Options, error) {
	o := &chunk.Options{
		FormatChoice: chunk.FormatChoice{Formats: formats},
		LibSVM:       chunk.LibSVM{IndexBase: -1}, Limits: chunk.Limits{ChunkSize: chunk.DefaultChunk}, Sizes: chunk.DefaultSizes(),
	}
	for _, opt := range opts {
		opt(o)
	}
	if o.Schema != nil {
		if err := o.Schema.Written.Check(); err != nil && o.Err == nil {
			o.Err = chunk.Errorf("the schema is that of no table: %w", err)
		}
	}
	if o.Err != nil {
		return o, o.Err
	}
	o.Recall()
	o.RecallMissing()
	return o, o.Err
}

// Label names the column that is to be predicted, or several: a model then has an output for each, in this order. Every row
// must have all of them.
func Label(names ...string) Option {
	return func(o *chunk.Options) {
		o.Labels = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	}
}

// Weight names the column of row weights.
func Weight(name string) Option { return func(o *chunk.Options) { o.Weight = name } }

// Group names the column that says which query a row belongs to, by number or text.
// Training gathers the rows of a query of a table in memory; see Table.ByQuery.
func Group(name string) Option { return func(o *chunk.Options) { o.Group = name } }

// Position names the column of the positions at which the rows of queries were shown, numbers, equal ones for equal positions.
func Position(name string) Option { return func(o *chunk.Options) { o.Position = name } }

// Event names the column of a table of times that is 1 where the event came at the row's time, and 0 where the row
// is censored: its time is that up to which the event had not come. The time is the label.
func Event(name string) Option { return func(o *chunk.Options) { o.Event = name } }

// LabelUpper names the column of the time up to which the event came, where the label is the time from which on: both equal if it is
// known, +Inf or missing if there is no such time, and a label of 0 or -Inf if there is none from which on.
func LabelUpper(name string) Option { return func(o *chunk.Options) { o.Upper = name } }

// InitScore names the columns of the raw scores that training starts from, one per
// output of the model, in the order of the outputs.
func InitScore(names ...string) Option {
	return func(o *chunk.Options) { o.InitScores = append(o.InitScores, names...) }
}

// ID names columns that are passed through to predictions as they are. With As a
// feature may be named here as well; it then stands in the table twice.
func ID(names ...string) Option {
	return func(o *chunk.Options) { o.IDs = append(o.IDs, names...) }
}

// Ignore names columns that are not read at all.
func Ignore(names ...string) Option {
	return func(o *chunk.Options) { o.Ignore = append(o.Ignore, names...) }
}

// Categorical names columns that are categories whatever their cells look like.
func Categorical(names ...string) Option {
	return func(o *chunk.Options) { o.Categorical = append(o.Categorical, names...) }
}

// Missing adds texts of cells that mean "no value" to DefaultMissing, or to those of
// MissingOnly. They are compared with whole cells, byte by byte, spaces around the cell not
// counting. One that is a number also means every cell of that value in columns of numbers,
// however it is written or stored.
func Missing(words ...string) Option {
	return func(o *chunk.Options) {
		o.Missing = append(o.Missing, words...)
	}
}

// MissingOnly replaces DefaultMissing by other words, which are compared as those of Missing.
func MissingOnly(words ...string) Option {
	return func(o *chunk.Options) { o.OnlyMissing = append([]string{}, words...) }
}

// Decimal sets the decimal point: '.' or ','.
func Decimal(point rune) Option {
	return func(o *chunk.Options) {
		if point != '.' && point != ',' {
			o.Fail("decimal = %q is not possible; it is \".\" or \",\"", string(point))
			return
		}
		o.Decimal, o.Said.Decimal = byte(point), true
	}
}

// KeepBlanks makes blanks around cells of text files part of levels, as those within quotes and those of ids are.
func KeepBlanks() Option { return func(o *chunk.Options) { o.KeepBlanks = true } }

// Encoding names the encoding of the text: utf-8, latin1 or cp1252.
func Encoding(name string) Option {
	return func(o *chunk.Options) {
		o.Said.Encoding = true
		switch strings.ToLower(name) {
		case "utf-8", "utf8":
			o.Encoding = nil
		case "latin1", "latin-1", "iso-8859-1":
			o.Encoding = chunk.Encodings["latin1"]
		case "cp1252", "windows-1252":
			o.Encoding = chunk.Encodings["cp1252"]
		default:
			o.Fail("encoding = %q is not known; it is \"utf-8\", \"latin1\" or \"cp1252\"", name)
		}
	}
}

// Format names the format of the inputs, one of Formats; "auto" finds it from the
// beginning of each.
func Format(name string) Option {
	return func(o *chunk.Options) {
		o.Format = nil
		if name == "auto" {
			return
		}
		if o.Format = chunk.FormatNamed(formats, name); o.Format == nil {
			o.Fail("format = %q is not known; it is \"auto\" or one of %s", name, chunk.NameList(Formats(), len(formats)))
		}
	}
}

// Sheet names the worksheet of an Excel workbook that holds the table, "" for the first.
func Sheet(name string) Option { return func(o *chunk.Options) { o.Sheet = name } }

// SkipLines leaves out the first n lines of each text file, or rows of a workbook's sheet, which stand above the names of the columns.
func SkipLines(n int) Option {
	return func(o *chunk.Options) {
		if o.Above = n; n < 0 {
			o.Fail("skip_lines = %d: a number from 0 on is expected", n)
		}
	}
}

// Absent says what a LibSVM file means by a feature that a row does not name: "zero"
// (the default), as in the same table written densely, or "missing".
func Absent(meaning string) Option {
	return func(o *chunk.Options) {
		if meaning != "zero" && meaning != "missing" {
			o.Fail("absent = %q is not possible; it is \"zero\" or \"missing\"", meaning)
		}
		o.AbsentMissing, o.Said.Absent = meaning == "missing", true
	}
}

// IndexBase says with which index the features of a LibSVM file begin: "0", "1", or
// "auto": 0 if that index occurs, else 1. Features are called f0, f1, … by the index as
// it is written; the base decides whether there is an f0.
func IndexBase(base string) Option {
	return func(o *chunk.Options) {
		switch base {
		case "auto":
			o.IndexBase = -1
		case "0", "1":
			o.IndexBase = int(base[0] - '0')
		default:
			o.Fail("index_base = %q is not possible; it is \"auto\", \"0\" or \"1\"", base)
		}
	}
}

// Separator sets the character between cells, which is otherwise found among
// comma, tab, semicolon and bar.
func Separator(sep rune) Option {
	return func(o *chunk.Options) {
		if !chunk.Separates(sep) {
			o.Fail("separator = %q is not possible; it is one ASCII character that is not part of a number", string(sep))
			return
		}
		o.Separator = byte(sep)
	}
}

// Header reports whether the first line holds the names of the columns, which is
// otherwise found from the data. Columns of a file without one are c1, c2, ….
func Header(present bool) Option {
	return func(o *chunk.Options) { o.Header = &present }
}

// SkipBadRows leaves out rows with bad cells or a wrong number of cells, and
// counts them, instead of failing at the first.
func SkipBadRows() Option { return func(o *chunk.Options) { o.SkipBadRows = true } }

// SkipUnlabelled has SkipBadRows leave out rows without a label of tables that are read with As too, as of those that models are
// trained on. Without it they stay, for predictions.
func SkipUnlabelled() Option { return func(o *chunk.Options) { o.Labelled = true } }

// As reads a table with the schema of a model: columns are found by name, types
// and levels are taken from the schema and not inferred, columns that the schema
// lacks are not read. The label and the weight may be absent.
func As(s Schema) Option { return func(o *chunk.Options) { o.Schema = &s } }

// Threads sets the number of workers that parse text; 0 means as many as the
// machine has for this process. The table does not depend on it.
func Threads(n int) Option {
	return func(o *chunk.Options) {
		if n < 0 {
			o.Fail("threads = %d is not possible; it is 0 (all) or more", n)
		}
		o.Threads = n
	}
}

// ChunkSize sets the bytes of text that a worker parses at a time, which is part of
// the memory that reading takes. The table does not depend on it.
func ChunkSize(bytes int) Option {
	return func(o *chunk.Options) {
		if bytes < 1 {
			o.Fail("chunks of %d bytes are not possible; they have 1 or more", bytes)
		}
		o.ChunkSize = max(bytes, 1)
	}
}

// MemoryLimit refuses a table read whole whose columns take more bytes, with an error
// that wraps ErrMemory: before it is read where a file says how many rows it has, else as
// soon as so much of it was read. 0 is no limit.
func MemoryLimit(bytes int64) Option {
	return func(o *chunk.Options) {
		if bytes < 0 {
			o.Fail("memory_limit = %d is not possible; it is 0 (none) or more bytes", bytes)
		}
		o.MemoryLimit = bytes
	}
}

// NoSpool keeps no copy of standard input while it is read. A column whose type
// turns out late is then an error.
func NoSpool() Option { return func(o *chunk.Options) { o.NoSpool = true } }

// NoSideFiles leaves aside the files that LightGBM looks for beside a table. Without it
// Open reads, where they exist, FILE.weight (a weight per row), FILE.position (a position per row), FILE.query (the number
// of rows of each query) and FILE.init (init scores per row), as columns called weight,
// qid and init_score, and says so in Notes. A role that another option names a column
// for is not looked for.
func NoSideFiles() Option { return func(o *chunk.Options) { o.NoSideFiles = true } }

// AllIDs makes every column of a table that is read with As an id column, in the order of the table,
// beside what the schema says it is, less those that Ignore names.
func AllIDs() Option { return func(o *chunk.Options) { o.AllIDs = true } }

// InOrder reads several files in the order in which they are given, also the same one again,
// instead of that of their names.
func InOrder() Option { return func(o *chunk.Options) { o.InOrder = true } }

// NeedLabel makes a table for which no label is named, and whose format has none of its
// own, the error ErrNoLabel, before its rows are read.
func NeedLabel() Option { return func(o *chunk.Options) { o.NeedLabel = true } }

// DropTextLike ignores text features of more than 100 rows in which more than
// half of the values are distinct, unless Categorical names them, and says so in
// Notes: names, tickets and free text are rarely categories.
func DropTextLike() Option { return func(o *chunk.Options) { o.DropTextLike = true } }

// LenientTypes keeps columns that are neither clearly numbers nor clearly text as
// categories and reports them in Table.Mixed, instead of failing.
func LenientTypes() Option { return func(o *chunk.Options) { o.Lenient = true } }

// KeepRows makes a ChunkedTable hold the features of the rows, size of them at most, that a
// chooser chooses, which spares a pass over the files for them; see ChunkedTable.Kept. A chooser
// is made for each pass that begins anew. Tables that are read whole leave it aside.
func KeepRows(size int, chooser func() RowChooser) Option {
	return func(o *chunk.Options) { o.Chooser, o.Chosen = chooser, size }
}

// Writing returns what a model keeps of how the tables are written that are read with the options.
func Writing(opts ...Option) (Written, error) {
	o, err := newOptions(opts)
	if err != nil {
		return Written{}, err
	}
	return o.Writing(), nil
}

// Describe returns a text that is the same for options which read the same table from
// the same files, and another for those that may not.
func Describe(opts ...Option) (string, error) {
	o, err := newOptions(opts)
	if err != nil {
		return "", err
	}
	return o.Describe()
}
