package chunk

import (
	"fmt"
	"strings"
)

// Format is a way of storing a table. A new one plugs in with an entry in formats
// and an implementation of source; nothing else of the package knows it.
type Format struct {
	Name  string // as Format takes it
	Title string // in a message: "it is …"
	// Knows looks at the beginning of an input, decompressed, up to sniffed bytes, and
	// at its name without the ending of the compression. Nil is never asked.
	Knows func(start []byte, name string) bool
	Open  func(o *Options, inputs []Input) Source
	// Cuts reports whether a rank can read a part of an input.
	Cuts bool
	// Idle are the options about how text is written that mean nothing in this format.
	Idle []string
}

// TextKeys are the options about text that the formats with columns leave aside. They do
// read numbers in columns of text, so that decimal is none of them.
var TextKeys = []string{"separator", "header", "encoding", "absent", "index_base", "sheet", "skip_lines"}

// idle lists what was asked for, other than what holds anyway, and the format of the
// table has no use for.
func (o *Options) idle() []string {
	asked := map[string]bool{
		"separator": o.Separator != 0, "header": o.Header != nil, "encoding": o.Encoding != nil && o.Said.Encoding, "decimal": o.Decimal != '.' && o.Said.Decimal,
		"absent": o.AbsentMissing && o.Said.Absent, "index_base": o.IndexBase >= 0, "sheet": o.Sheet != "", "skip_lines": o.Above > 0,
	}
	var names []string
	for _, name := range o.Opened.Idle {
		if asked[name] {
			names = append(names, name)
		}
	}
	return names
}

// IdleNotes says what was asked for and had no effect.
func (o *Options) IdleNotes(file string) []string {
	names := o.idle()
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s is read as %s, for which %s %s", file, o.Opened.Name, strings.Join(names, ", "),
		map[bool]string{true: "has no meaning", false: "have no meaning"}[len(names) == 1])}
}

// sniffed is the number of bytes at the beginning of an input that tell its format.
const sniffed = 8 << 10

const CSVFormat = "csv"

// FormatNamed returns the format of that name, or nil.
func FormatNamed(formats []*Format, name string) *Format {
	for _, f := range formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// FormatOf tells the format of a stream by its beginning, or by what was asked for.
func (o *Options) FormatOf(s *Stream) (*Format, error) {
	if o.Format != nil {
		return o.Format, nil
	}
	start, err := s.peek(sniffed)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(s.Name)
	for _, ending := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, ending)
	}
	last := len(o.Formats) - 1
	for _, f := range o.Formats[:last] {
		if f.Knows(start, name) {
			return f, nil
		}
	}
	return o.Formats[last], nil
}

// StreamOf opens an input of the named format and refuses another one.
func (o *Options) StreamOf(in *Input, name string) (*Stream, error) {
	s, err := in.Stream(o.Formats)
	if err != nil {
		return nil, err
	}
	f, err := o.FormatOf(s)
	if err == nil && f.Name != name {
		err = Errorf("%s is %s, and files before it are %s; files that are read as one need one format",
			in.Name, f.Title, FormatNamed(o.Formats, name).Title)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// CloseInputs closes what was opened and never read, and ends the copies of streams.
func CloseInputs(inputs []Input) {
	for i := range inputs {
		if s := inputs[i].Opened; s != nil {
			s.Close()
		}
		if inputs[i].Spool != nil {
			inputs[i].Spool.close()
		}
	}
}

// formatTitles lists the formats as a message does.
func formatTitles(formats []*Format) string {
	titles := make([]string, len(formats))
	for i, f := range formats {
		titles[i] = f.Title
	}
	if len(titles) == 1 {
		return titles[0]
	}
	last := len(titles) - 1
	return strings.Join(titles[:last], ", ") + " or " + titles[last]
}
