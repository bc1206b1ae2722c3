package dataset

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
)

// format is a way of storing a table. A new one plugs in with an entry in formats
// and an implementation of source; nothing else of the package knows it.
type format struct {
	name  string // as Format takes it
	title string // in a message: "it is …"
	// knows looks at the beginning of an input, decompressed, up to sniffed bytes, and
	// at its name without the ending of the compression. Nil is never asked.
	knows func(start []byte, name string) bool
	open  func(o *options, inputs []input) source
	// idle are the options about how text is written that mean nothing in this format.
	idle []string
}

// textKeys are the options about text that the formats with columns leave aside. They do
// read numbers in columns of text, so that decimal is none of them.
var textKeys = []string{"separator", "header", "encoding", "absent", "index_base"}

// idle lists what was asked for, other than what holds anyway, and the format of the
// table has no use for.
func (o *options) idle() []string {
	asked := map[string]bool{
		"separator": o.separator != 0, "header": o.header != nil, "encoding": o.encoding != nil, "decimal": o.decimal != '.',
		"absent": o.absentMissing, "index_base": o.indexBase >= 0,
	}
	var names []string
	for _, name := range o.opened.idle {
		if asked[name] {
			names = append(names, name)
		}
	}
	return names
}

// idleNotes says what was asked for and had no effect.
func (o *options) idleNotes(file string) []string {
	names := o.idle()
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s is read as %s, for which %s %s", file, o.opened.name, strings.Join(names, ", "),
		map[bool]string{true: "has no meaning", false: "have no meaning"}[len(names) == 1])}
}

// source reads the inputs of one table. The methods are called in this order;
// read may be called again, for the same or other targets, if the inputs can be
// read again.
type source interface {
	// columns opens the first input and returns the names of the table's columns.
	Columns(ctx context.Context) (names []string, err error)
	// read goes through all inputs once. Only the sources of the pass's targets are
	// looked at, where the format allows. Every pass cuts the inputs into the same
	// chunks. With an error of an input, the chunks before it are emitted too.
	Read(ctx context.Context, p *pass) error
	// notes says what a person should know about how the inputs are written, which
	// hold so many blank lines.
	Notes(blank int) []string
	// close frees what was opened and not read.
	Close()
}

// pass is one way through all inputs.
type pass struct {
	targets []target
	// emit takes a chunk, whose pieces follow the targets. It is called by several
	// goroutines at once and for chunks in any order; chunk.index puts them in order,
	// counting from 0 without gaps over all inputs. A piece's dictionary may grow once
	// emit has returned, as it outlives chunks: what it holds for the chunk (fresh,
	// and levels below the ones known then) stays as it is.
	emit func(*chunk)
	// chunkRows is the most rows of a chunk where the format can choose; 0 leaves it to
	// the format, which then decodes column by column.
	chunkRows int
	// made is called before emit, by the goroutine that made the chunk; nil for nothing to
	// do. It sees the targets that the chunk's pieces follow then.
	made func(ch *chunk, targets []target)
	// gathered says that the chunks are placed in their order: then fresh need not hold
	// levels that an earlier chunk with the same dictionary has.
	gathered bool
	// apart says that no chunk has to do with another: dictionaries need not outlive them.
	apart   bool
	stop    atomic.Bool // a chunk has an error that no later one can change
	stopped func()      // is called where stop was set and a chunk may not come; nil for nothing to do
}

// send emits a chunk that was just made.
func (p *pass) send(ch *chunk) {
	if p.made != nil {
		p.made(ch, p.targets)
	}
	p.emit(ch)
}

// sniffed is the number of bytes at the beginning of an input that tell its format.
const sniffed = 8 << 10

const csvFormat = "csv"

// formatNamed returns the format of that name, or nil.
func formatNamed(formats []*format, name string) *format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return nil
}

// formatOf tells the format of a stream by its beginning, or by what was asked for.
func (o *options) formatOf(s *stream) (*format, error) {
	if o.format != nil {
		return o.format, nil
	}
	start, err := s.peek(sniffed)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(s.name)
	for _, ending := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ending)
	}
	last := len(o.formats) - 1
	for _, f := range o.formats[:last] {
		if f.knows(start, name) {
			return f, nil
		}
	}
	return o.formats[last], nil
}

// streamOf opens an input of the named format and refuses another one.
func (o *options) streamOf(in *input, name string) (*stream, error) {
	s, err := in.stream(o.formats)
	if err != nil {
		return nil, err
	}
	f, err := o.formatOf(s)
	if err == nil && f.name != name {
		err = complain("%s is %s, and files before it are %s; files that are read as one need one format",
			in.name, f.title, formatNamed(o.formats, name).title)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// closeInputs closes what was opened and never read, and ends the copies of streams.
func closeInputs(inputs []input) {
	for i := range inputs {
		if s := inputs[i].opened; s != nil {
			s.close()
		}
		if inputs[i].spool != nil {
			inputs[i].spool.close()
		}
	}
}

// formatTitles lists the formats as a message does.
func formatTitles(formats []*format) string {
	titles := make([]string, len(formats))
	for i, f := range formats {
		titles[i] = f.title
	}
	if len(titles) == 1 {
		return titles[0]
	}
	last := len(titles) - 1
	return strings.Join(titles[:last], ", ") + " or " + titles[last]
}
