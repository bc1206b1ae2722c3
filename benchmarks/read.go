package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/loading"
	"boost/dataset"
)

// readCommand is boost's side of `loading`; python/loading.py is the others'.
func readCommand() *cobra.Command {
	var file, reader string
	var threads int
	c := &cobra.Command{
		Use:   "read",
		Short: "Reads one file and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads) // the collector of garbage counts as one of the threads
			run := loading.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: harness.PeakSoFar()}
			clock := startClock()
			var err error
			if reader == loading.Inflate {
				err = harness.Unpack(file, io.Discard)
			} else {
				err = openTable(cmd, file, threads, &run)
			}
			if err != nil {
				return err
			}
			run.Seconds, run.CPU = clock.lap()
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&file, "file", "", "file to read")
	f.StringVar(&reader, "reader", loading.Boost, "boost, or inflate, which only decompresses")
	f.IntVar(&threads, "threads", 2, "threads")
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
