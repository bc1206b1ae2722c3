package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
)

// qualityLimit is the time that one training may take.
const qualityLimit = 20 * time.Minute

// judging is what the flags of `quality` say.
type judging struct {
	row, python, script, cache, results, document string
	names                                         []string
	tables                                        int
}

func qualityCommand() *cobra.Command {
	var j judging
	c := &cobra.Command{
		Use:   "quality",
		Short: "Compares the quality of boost and other trainers in the mean of several tables of a row's shape",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return j.run(cmd) },
	}
	f := c.Flags()
	f.StringVar(&j.row, "row", "dense", "the row: "+strings.Join(rowNames(), ", "))
	f.IntVar(&j.tables, "tables", 6, "number of tables: seeds 1, 2, …")
	f.StringSliceVar(&j.names, "peers", nil, "the peers (default: those that the row's last measurement compares boost with)")
	f.StringVar(&j.python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&j.script, "script", "benchmarks/python/peer.py", "the peers' side")
	f.StringVar(&j.cache, "cache", "", "folder that generated tables are kept in (default: the user's cache); only the first stays")
	f.StringVar(&j.results, "results", "benchmarks/results/peers", "folder of the sessions and the records")
	f.StringVar(&j.document, "document", "benchmarks/results/README.md", "document to put the summary into, while the table goes beside the results; empty for none")
	return c
}

func (j *judging) run(cmd *cobra.Command) error {
	row, err := rowHere(j.row)
	if err != nil {
		return err
	}
	switch {
	case !row.Scored():
		return fmt.Errorf("row %s predicts nothing that could be judged", j.row)
	case j.results == "":
		return fmt.Errorf("--results is empty: a place for the records is needed")
	case j.tables < 1:
		return fmt.Errorf("--tables is %d, at least 1 is needed", j.tables)
	}
	self, build, err := program()
	if err != nil {
		return err
	}
	contenders, err := j.contenders(row, self)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range contenders {
		names = append(names, c.Name)
	}
	q, err := peers.BeginQuality(peers.QualityFolder(j.results), &peers.Quality{
		Machine: machine.This(), Build: build, Row: row, Command: fmt.Sprintf("make peers-quality ROW=%s TABLES=%d", j.row, j.tables), Names: names,
	})
	if err != nil {
		return err
	}
	if len(q.Tables) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "beginning anew; a record of another program, machine or choice of peers is replaced")
	}
	for i := range j.tables {
		if err := j.table(cmd, q, contenders, self, row.Seed+uint64(i)); err != nil {
			return err
		}
	}
	peers.QualityReport(cmd.OutOrStdout(), []*peers.Quality{q})
	if j.document == "" {
		return nil
	}
	return (*peers.Session)(nil).UpdateDocument(j.document, j.results)
}

// contenders returns boost in its ways and the peers.
func (j *judging) contenders(row peers.Row, self string) ([]peers.Contender, error) {
	names := append([]string{peers.BoostName, peers.EightBits}, j.names...)
	if len(j.names) == 0 {
		history, err := peers.Open(j.results, j.row)
		if err != nil {
			return nil, err
		}
		last := history.Latest()
		if last == nil {
			return nil, fmt.Errorf("row %s has not been measured: name peers with --peers", j.row)
		}
		v := last.Verdict()
		names = v.Contenders()
	}
	all := peers.Contenders(row, self, j.python, j.script)
	var list []peers.Contender
	for _, name := range names {
		name = peers.Base(name)
		i := slices.IndexFunc(all, func(c peers.Contender) bool { return peers.Base(c.Name) == name })
		if i < 0 {
			return nil, fmt.Errorf("row %s has no contender %q", j.row, name)
		}
		if slices.ContainsFunc(list, func(c peers.Contender) bool { return c.Name == name }) {
			return nil, fmt.Errorf("%s is named twice; boost takes part anyway", name)
		}
		all[i].Name = name
		list = append(list, all[i])
	}
	return list, nil
}

// table measures one table, which goes again where it is not the row's own.
func (j *judging) table(cmd *cobra.Command, q *peers.Quality, contenders []peers.Contender, self string, seed uint64) error {
	if q.Complete(seed) {
		return nil
	}
	row := q.Row
	row.Seed = seed
	folder, err := generated(cmd, self, j.cache, row)
	if err != nil {
		return err
	}
	err = q.Measure(cmd.Context(), contenders, seed, folder, qualityLimit, cmd.ErrOrStderr())
	if seed == q.Row.Seed {
		return err
	}
	return errors.Join(err, os.RemoveAll(folder))
}
