package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/synth"
)

// places are what the flags of most commands name.
type places struct{ data, python, script, cache, results, document string }

// inputs adds the flags of what is read: the real sets, the peers' side, the folder of tables. A name that
// is empty has no flag.
func (p *places) inputs(c *cobra.Command, script, cache string) {
	f := c.Flags()
	f.StringVar(&p.data, "data", filepath.Join(os.Getenv("BOOST_SHARED"), "data"), "folder of the real data sets")
	if script != "" {
		f.StringVar(&p.python, "python", "python3", "interpreter of the environment with the peers")
		f.StringVar(&p.script, "script", "benchmarks/python/"+script, "the peers' side")
	}
	if cache != "" {
		f.StringVar(&p.cache, "cache", "", "folder that "+cache+" are kept in (default: the user's cache)")
	}
}

// outputs adds the flags of what is written.
func (p *places) outputs(c *cobra.Command, results, document string) {
	f := c.Flags()
	f.StringVar(&p.results, "results", results, "JSON file for the record")
	f.StringVar(&p.document, "document", document, "document to put the tables into; empty for none")
}

// keep writes a record and puts its tables into the document, where these are named.
func (p *places) keep(record interface{ UpdateDocument(path string) error }) error {
	if p.results != "" {
		if err := harness.Write(p.results, record); err != nil {
			return err
		}
	}
	if p.document == "" {
		return nil
	}
	return record.UpdateDocument(p.document)
}

// table is a generated one.
type table struct {
	kind                string
	rows, columns, test int
}

// filesVersion changes with the files that a table has.
const filesVersion = "4"

// generated returns the folder of a table, making it if it is not there. Another process makes it: this
// one must stay small, since Linux counts it as a part of the peak of its children.
func (p *places) generated(cmd *cobra.Command, t table) (string, error) {
	cache, err := harness.Cache(p.cache)
	if err != nil {
		return "", err
	}
	g, err := synth.New(t.kind, 1, t.columns)
	if err != nil {
		return "", err
	}
	version := g.Fingerprint() + " " + filesVersion
	folder := filepath.Join(cache, fmt.Sprintf("%s-%dx%d-%d-seed1", t.kind, t.rows, t.columns, t.test))
	stamp := filepath.Join(folder, "made-by")
	if made, err := os.ReadFile(stamp); err == nil && string(made) == version {
		return folder, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "making the table in", folder)
	generate := harness.Process{Threads: runtime.NumCPU(), Command: []string{self, "generate", "--out", folder, "--kind", t.kind,
		"--rows", strconv.Itoa(t.rows), "--test", strconv.Itoa(t.test), "--cols", strconv.Itoa(t.columns)}}
	if _, err := generate.Run(cmd.Context(), nil); err != nil {
		return "", fmt.Errorf("generate: %w", err)
	}
	return folder, os.WriteFile(stamp, []byte(version), 0o666)
}
