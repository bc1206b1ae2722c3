package chunk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"boost/internal/format"
)

// Input is one file, or a stream, that can be read from its start, perhaps twice.
type Input struct {
	Name  string
	Size  int64       // bytes, 0 if unknown
	found os.FileInfo // of a file
	Open  func() (io.ReadCloser, error)
	Spool *spool // nil for files
	Part  *Part  // what a rank reads of it; nil for all

	Opened *Stream // the stream that the next call of stream returns, or nil
}

// FindInputs turns paths and patterns into files, sorted by name. Unless they are to stand in order, a file that patterns
// find again counts once, and one that is named twice is an error.
func FindInputs(ctx context.Context, paths []string, keep, inOrder bool) ([]Input, error) {
	var names, found []string
	for _, path := range paths {
		if path == "" {
			return nil, Errorf("a table needs the name of a file")
		}
		if err := refuseRemote(path); err != nil {
			return nil, err
		}
		if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
			names = append(names, path)
			continue
		}
		matches, err := filepath.Glob(path)
		if err != nil {
			return nil, Errorf("%s is not a pattern for files: %w", path, err)
		}
		if len(matches) == 0 {
			return nil, Errorf("no file matches %s", path)
		}
		if inOrder {
			names = append(names, matches...)
		} else {
			found = append(found, matches...)
		}
	}
	if len(names)+len(found) == 0 {
		return nil, Errorf("a table needs the name of a file")
	}
	if !inOrder {
		named := map[string]bool{}
		for _, name := range names {
			named[filepath.Clean(name)] = true
		}
		for _, name := range found {
			if clean := filepath.Clean(name); !named[clean] {
				names, named[clean] = append(names, name), true
			}
		}
		slices.Sort(names)
		if err := refuseTwice(names); err != nil {
			return nil, err
		}
	}
	inputs := make([]Input, len(names))
	for i, name := range names {
		in, err := fileInput(ctx, name, keep)
		if err != nil {
			return nil, err
		}
		inputs[i] = in
	}
	return inputs, nil
}

// refuseTwice refuses a file that is named twice, or has two names: its rows would count twice.
func refuseTwice(names []string) error {
	type file struct {
		name string
		info fs.FileInfo
	}
	const twice = "%s and %s are one file: leave one of them out"
	bySize, byName := map[int64][]file{}, map[string]string{}
	for _, name := range names {
		clean := filepath.Clean(name)
		if other, is := byName[clean]; is {
			return Errorf(twice, other, name)
		}
		byName[clean] = name
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // what cannot be read is said when it is opened
		}
		for _, other := range bySize[info.Size()] {
			if os.SameFile(info, other.info) {
				return Errorf(twice, other.name, name)
			}
		}
		bySize[info.Size()] = append(bySize[info.Size()], file{name, info})
	}
	return nil
}

// WithoutPath returns what the operating system said, without the name that is said already.
func WithoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

func fileInput(ctx context.Context, name string, keep bool) (Input, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return Input{}, Errorf("%s cannot be read: %w", name, WithoutPath(err))
	case info.IsDir():
		return Input{}, Errorf("%s is a directory; name a file, or several by a pattern such as %s",
			name, filepath.Join(name, "*.csv"))
	}
	open := func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, Errorf("%s cannot be read: %w", name, WithoutPath(err))
		}
		return f, nil
	}
	if !info.Mode().IsRegular() { // a pipe can be read once
		return (&spool{name: name, first: func() (io.ReadCloser, error) { return openUntilDone(ctx, open) }, Keep: keep}).input(), nil
	}
	_ = os.SameFile(info, info) // Windows looks up which file it is when it is first asked
	return Input{Name: name, Size: info.Size(), found: info, Open: open}, nil
}

// sameContent reports whether a file is, as far as the system tells, what it was: no other
// one under its name, and not written to.
func sameContent(was, is os.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// ReadUnchanged reads a file by read, and fails where it changes meanwhile.
func ReadUnchanged(f *os.File, name string, read func() error) error {
	was, err := f.Stat()
	if err != nil {
		return Errorf("%s cannot be read: %w", name, WithoutPath(err))
	}
	if err := read(); err != nil {
		return err
	}
	if is, err := f.Stat(); err != nil || !sameContent(was, is) {
		return Errorf("%s changed while it was read; read it again once nobody writes to it", name)
	}
	return nil
}

// foreign lists the first bytes of files in formats that are not read. In a fix, FILE stands for the name of the file.
var foreign = []struct{ magic, name, fix string }{
	{magic: "BZh91AY&SY", name: "a bzip2 file"}, {magic: "\xfd7zXZ", name: "an xz file"},
	{"\xff\xfe", "UTF-16 text", utf8Fix}, {"\xfe\xff", "UTF-16 text", utf8Fix}, {magic: "FEA1\x00", name: "a Feather file of version 1"},
	{magic: "%PDF-", name: "a PDF document"}, {"\xd0\xcf\x11\xe0", "an old or encrypted spreadsheet or document", "save the table as .xlsx without a password, or as CSV"},
	{"SQLite format 3\x00", "an SQLite database", `duckdb -c "COPY (SELECT * FROM sqlite_scan('FILE', 'NAME')) TO 'NAME.parquet'" writes its table NAME as Parquet`},
	{magic: "Obj\x01", name: "an Avro file"}, {magic: "\x89HDF", name: "an HDF5 file"}, {magic: "\x93NUMPY", name: "a NumPy array"},
	{magic: "7z\xbc\xaf", name: "a 7-Zip archive"}, {magic: "\x80\x04\x95", name: "a Python pickle"}, {magic: "\x80\x05\x95", name: "a Python pickle"},
	{magic: "<stata_dta>", name: "a Stata file"}, {magic: "$FL2@(#)", name: "an SPSS file"},
	{magic: "@relation ", name: "an ARFF file"}, {magic: "@RELATION ", name: "an ARFF file"},
	{magic: "<!DOCTYPE", name: "a web page"}, {magic: "<!doctype", name: "a web page"}, {magic: "<html", name: "a web page"}, {magic: "<?xml", name: "XML text"},
}

const arrayFix = "jq -c '.[]' FILE writes it as JSON lines"

// startsArray reports whether an input begins with a list of JSON objects, up to the first name: text with separators may begin with brackets, too.
func startsArray(start []byte) bool {
	for _, token := range []string{"[", "{", `"`} {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(start), []byte(token))
		if !ok {
			return false
		}
		start = rest
	}
	return true
}

const utf8Fix = "iconv -f UTF-16 -t UTF-8 FILE > FILE.utf8 writes it as UTF-8"

// refuseForeign returns an error if an input begins like a file in a format that is not read, else nil.
func refuseForeign(name string, start []byte, formats []*Format) error {
	what, fix := "", ""
	for _, f := range foreign {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			what, fix = f.name, f.fix
			break
		}
	}
	switch {
	case len(start) >= 12 && string(start[8:12]) == "DUCK" && isBinary(start):
		what, fix = "a DuckDB database", `duckdb FILE -c "COPY NAME TO 'NAME.parquet'" writes its table NAME as Parquet`
	case bytes.HasPrefix(start, []byte("ORC")) && isBinary(start):
		what, fix = "an ORC file", `python3 -c "import pyarrow.orc as o, pyarrow.parquet as p; p.write_table(o.read_table('FILE'), 'FILE.parquet')" writes it as Parquet`
	case what == "" && startsArray(start):
		what, fix = "a JSON array", arrayFix
	case what == "":
		return nil
	}
	if fix == "" {
		return Errorf("%s is %s; give it as %s, plain, gzip or zstd", name, what, formatTitles(formats))
	}
	if name != "standard input" {
		fix = strings.ReplaceAll(strings.ReplaceAll(fix, " FILE", " "+format.Pasted(name)), "FILE", name)
	}
	return Errorf("%s is %s; %s", name, what, fix)
}

// isBinary reports whether the beginning of an input has bytes that do not occur in text.
func isBinary(start []byte) bool {
	return bytes.ContainsFunc(start, func(c rune) bool { return c < '\t' })
}

// remote lists addresses that people give instead of files, with the command that downloads the file.
var remote = []struct{ scheme, command string }{
	{"https://", "curl -LO"}, {"http://", "curl -LO"}, {"ftp://", "curl -O"}, {"s3://", "aws s3 cp"}, {"gs://", "gcloud storage cp"},
}

// refuseRemote returns an error if a path is an address, else nil.
func refuseRemote(path string) error {
	for _, r := range remote {
		if strings.HasPrefix(strings.ToLower(path), r.scheme) {
			to := ""
			if !strings.HasPrefix(r.command, "curl") {
				to = " ."
			}
			return Errorf("%s is not a file on this machine; %s %s%s gets it, then give %s", path, r.command, path, to, pathpkg.Base(path))
		}
	}
	return nil
}

// ByteOrderMark may stand at the beginning of UTF-8 text and is no part of it.
const ByteOrderMark = "\xef\xbb\xbf"
