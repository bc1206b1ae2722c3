// Package filename says what the file names of a command line mean: tables, models, configs, and whether what is
// written would be lost to what is read.
//
// In: names. Out: answers from the names and from the files. It must not know commands.
package filename

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/configs"
	"boost/dataset"
	"boost/internal/format"
	"boost/internal/output"
)

// IsConfig reports whether an argument names a config file.
func IsConfig(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".toml") }

// IsModel reports whether a file is meant to be a model.
func IsModel(file string) bool {
	return strings.HasSuffix(file, ".boost") || BeginsAsModel(file)
}

// BeginsAsModel reports whether a file begins as a model does.
func BeginsAsModel(file string) bool { return model.IsModel(beginning(file)) }

// beginning returns the first bytes of a file; none of a pipe, from which nothing may be taken before its reader comes.
func beginning(file string) []byte {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := make([]byte, model.SniffSize)
	n, _ := io.ReadFull(f, start)
	return start[:n]
}

// Config makes sure that a config file which is to be written has a name by which it is known as one.
func Config(file string) error {
	if info, err := os.Stat(file); IsConfig(file) || err == nil && !info.Mode().IsRegular() {
		return output.Writable(file)
	}
	return exit.Usagef("%s: the name of a config file ends in .toml, by which boost train knows it: name it %s", file, strings.TrimSuffix(file, filepath.Ext(file))+".toml")
}

// RefuseModels says of a model, also another program's, that it is no table.
func RefuseModels(files []string) error {
	for _, file := range files {
		start := beginning(file)
		if model.IsModel(start) {
			return exit.Tablef("%s is a model: expected a table", file)
		}
		if what := model.OfOthers(start); what != "" {
			return exit.Tablef("%s is not a table: %s, and boost reads its own models only", file, what)
		}
	}
	return nil
}

// tableEnds are the endings of names that are those of tables and of nothing else.
var tableEnds = []string{".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".arrows", ".svm", ".libsvm", ".svmlight"}

// Whole makes sure, before the work, that a file can be put there whole or not at all, which a device or a pipe cannot.
func Whole(file string) error {
	if info, err := os.Stat(file); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write %s: it is a device or a pipe, and a model is written to a file: name one", file)
	}
	return output.Writable(file)
}

// Model makes sure, before the work, that a model can be written to a file of this name.
func Model(file string) error { return cmp.Or(RefuseName(file), Whole(file)) }

// RefuseName refuses the name of a table, or of a model as text, for a model that is to be written.
func RefuseName(file string) error {
	if end := filepath.Ext(file); strings.EqualFold(end, ".json") {
		name := strings.TrimSuffix(file, end) + ".boost"
		return exit.Usagef("%s is the name of a model as text, which only boost convert writes: name it %s here, then boost convert %s %s",
			file, name, format.Pasted(name), format.Pasted(file))
	}
	name := strings.ToLower(filepath.Base(file))
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	for _, end := range tableEnds {
		if strings.HasSuffix(name, end) {
			return exit.Usagef("%s is the name of a table, and what is written to it is a model: name it %s", file, filepath.Join(filepath.Dir(file), Stem(file)+".boost"))
		}
	}
	return nil
}

// Plot refuses the name of another file than a picture for what --plot writes.
func Plot(file string) error {
	if file != "" && !strings.EqualFold(filepath.Ext(file), ".svg") {
		return exit.Usagef("--plot %s: expected a name that ends in .svg", file)
	}
	return nil
}

// Stem returns a table's file name without folder and endings, "model" where it
// has none that is fit for a file.
func Stem(file string) string {
	name := filepath.Base(file)
	for _, end := range slices.Concat([]string{".gz", ".zst"}, tableEnds, []string{".txt", ".json", ".toml"}) {
		if len(name) > len(end) && strings.EqualFold(name[len(name)-len(end):], end) {
			name = name[:len(name)-len(end)]
		}
	}
	if file == "-" || strings.ContainsAny(name, "*?[]") || strings.Trim(name, ".") == "" {
		return "model"
	}
	return name
}

// Same reports whether two names mean one file that exists.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// One reports whether two names mean one file, which need not exist.
func One(a, b string) bool {
	x, noX := filepath.Abs(a)
	y, noY := filepath.Abs(b)
	return noX == nil && noY == nil && x == y || Same(a, b)
}

// An Output is a file that a run writes: the flag or key that names it, and the name, empty for none.
type Output struct{ Key, File string }

// Apart refuses to write two outputs of one run to one file.
func Apart(outputs ...Output) error {
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if out.File != "" && other.File != "" && One(out.File, other.File) {
				return exit.Usagef("%s and %s are to be written to one file, %s: give each a name of its own", other.Key, out.Key, out.File)
			}
		}
	}
	return nil
}

// OfConfig checks the names of what a run of training writes: none is read, none is that of another, and models have
// names of models.
func OfConfig(c *configs.Config, read []string) error {
	outputs := []Output{{"output.model (-o)", c.Output.Model}, {"output.predictions", c.Output.Predictions}, {"data.cache", c.Data.Cache},
		{"quantize.output", c.Quantize.Output}}
	for _, file := range read {
		for _, out := range outputs {
			if Reads([]string{file}, out.File, c.ReadOptions()...) {
				return exit.Usagef("%s is read, and cannot be written over by the same run: give another name with %s", out.File, out.Key)
			}
		}
	}
	return cmp.Or(RefuseName(c.Output.Model), RefuseName(c.Quantize.Output), Apart(append(outputs, Output{"output.checkpoint", c.Output.Checkpoint})...))
}

// Reads reports whether the output is a file that the run reads: one of the tables, of those
// that a pattern names, or one beside them.
func Reads(tables []string, out string, opts ...dataset.Option) bool {
	if out == "" {
		return false
	}
	if _, err := os.Stat(out); err != nil {
		return false // nothing that could be lost
	}
	for _, table := range tables {
		files, err := dataset.Files([]string{table}, opts...)
		if err != nil { // what is wrong is said when the table is opened
			files, _ = filepath.Glob(table)
		}
		for _, file := range append(files, table) {
			if Same(file, out) {
				return true
			}
		}
	}
	return false
}

// RelativeTo returns the table's path as it is written in a config file.
func RelativeTo(config, table string) string {
	if table == "-" || filepath.IsAbs(table) || config == "" || config == "-" {
		return table
	}
	dir, noDir := filepath.Abs(filepath.Dir(config))
	file, noFile := filepath.Abs(table)
	relative, err := filepath.Rel(dir, file)
	switch {
	case noDir != nil || noFile != nil:
		return table
	case err != nil:
		return file
	}
	return filepath.ToSlash(relative)
}

// Size returns the size of a file that was just written.
func Size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
