package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"boost/benchmarks/loading"
	"boost/benchmarks/peers"
	"boost/dataset"
)

// loadingCommand times all readers of all formats.
func loadingCommand() *cobra.Command {
	var commands loading.Commands
	var cache, results, document string
	var names []string
	var rows, repeats int
	var strict, prepare bool
	c := &cobra.Command{
		Use:   "loading",
		Short: "Times boost's readers beside those of pyarrow, pandas, scikit-learn and LightGBM",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if rows < 1 || repeats < 1 {
				return errors.New("--rows and --repeats must be at least 1")
			}
			if commands.Self, err = os.Executable(); err != nil {
				return err
			}
			files := loading.Files()
			if len(names) > 0 {
				files = files[:0]
			}
			for _, name := range names {
				file, err := loading.FileNamed(name)
				if err != nil {
					return err
				}
				files = append(files, file)
			}
			if cache == "" {
				user, err := os.UserCacheDir()
				if err != nil {
					return fmt.Errorf("no place for the generated tables, name one with --cache: %w", err)
				}
				cache = filepath.Join(user, "boost", "tables")
			}
			if prepare {
				_, err := loading.Generate(cache, rows, cmd.ErrOrStderr())
				return err
			}
			// Another process makes the tables: this one must stay small, see peers.PeakOf.
			child := exec.CommandContext(cmd.Context(), commands.Self, "loading", "--prepare", "--cache", cache, "--rows", strconv.Itoa(rows))
			child.Stderr = cmd.ErrOrStderr()
			if err := child.Run(); err != nil {
				return fmt.Errorf("making the tables: %w", err)
			}
			folder := loading.Folder(cache, rows)
			record, err := loading.Measure(cmd.Context(), commands, folder, files, repeats, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			record.Rows = rows
			record.Command = fmt.Sprintf("make load ROWS=%d REPEATS=%d", rows, repeats)
			record.Table(cmd.OutOrStdout())
			if len(names) == 0 {
				if err := record.Save(results); err != nil {
					return err
				}
				if document != "" {
					if err := record.UpdateDocument(document, results); err != nil {
						return err
					}
				}
			}
			var short []string
			for _, v := range record.Verdicts() {
				if !v.Passes() {
					short = append(short, v.File+" against "+v.Reader)
				}
			}
			if strict && len(short) > 0 {
				return errors.New("short of the bar: " + strings.Join(short, ", "))
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&rows, "rows", 1_000_000, "rows of the CSV files")
	f.IntVar(&repeats, "repeats", 3, "runs of each reader, in turn; the smallest time counts")
	f.StringSliceVar(&names, "only", nil, "read only these and write no record: "+strings.Join(loading.Files(), ", "))
	f.StringVar(&commands.Python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&commands.Script, "script", "benchmarks/python/loading.py", "the peers' side")
	f.StringVar(&cache, "cache", "", "folder that generated tables are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results/loading.json", "JSON file that the record is added to, with all figures in a .md file beside it")
	f.StringVar(&document, "document", "benchmarks/results/README.md", "document to put the bars into; empty for none")
	f.BoolVar(&strict, "strict", false, "fail where a bar is missed")
	f.BoolVar(&prepare, "prepare", false, "make the tables only")
	return c
}

// readCommand is boost's side of `loading`; python/loading.py is the others'.
func readCommand() *cobra.Command {
	var file, reader, profile string
	var threads, times int
	c := &cobra.Command{
		Use:   "read",
		Short: "Reads one file and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads) // the collector of garbage counts as one of the threads
			run := loading.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			stop, err := startProfile(profile)
			if err != nil {
				return err
			}
			for range times {
				clock := startClock()
				if reader == loading.Inflate {
					err = inflate(file)
				} else {
					err = openTable(cmd, file, threads, &run)
				}
				if err != nil {
					return errors.Join(err, stop())
				}
				run.Seconds, run.CPU = clock.lap()
			}
			if err := stop(); err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&file, "file", "", "file to read")
	f.StringVar(&reader, "reader", loading.Boost, "boost, or inflate, which only decompresses")
	f.StringVar(&profile, "profile", "", "file for a processor profile (go tool pprof)")
	f.IntVar(&threads, "threads", 2, "threads")
	f.IntVar(&times, "times", 1, "how often to read; the last counts")
	_ = c.MarkFlagRequired("file")
	return c
}

func openTable(cmd *cobra.Command, file string, threads int, run *loading.Run) error {
	options := []dataset.Option{dataset.Threads(threads)}
	if strings.HasPrefix(filepath.Base(file), "strings") {
		options = append(options, dataset.ID(loading.IDColumn))
	}
	table, err := dataset.Open(cmd.Context(), file, options...)
	if err != nil {
		return err
	}
	run.Columns, run.Widest = columnBytes(table)
	return nil
}

// columnBytes returns the memory of a table's cells, and of the largest column's.
func columnBytes(table *dataset.Table) (all, widest int64) {
	for _, c := range table.Columns() {
		size := int64(0)
		switch c.Kind() {
		case dataset.Float32, dataset.Category:
			size = 4 * int64(c.Len())
		case dataset.Float64:
			size = 8 * int64(c.Len())
		default:
			size = 4 * int64(c.Len())
			for row := range c.Len() {
				size += int64(len(c.Text(row)))
			}
		}
		all, widest = all+size, max(widest, size)
	}
	return all, widest
}

// inflate decompresses a file and drops the text.
func inflate(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	var r io.Reader
	if filepath.Ext(file) == ".zst" {
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	} else if r, err = gzip.NewReader(f); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}
