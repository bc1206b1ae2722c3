package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"boost/benchmarks/harness"
	"boost/dataset/write"
)

// rankToken is the secret of all ranks of a trial.
const rankToken = "BOOST_TOKEN=a token of some characters"

// rankRefusals are what the program says of settings that it offers in one process only, and of those of a rank's own that do not fit others.
var rankRefusals = []string{
	`"f32"`, "tree.linear is for one process", "tree.feature_row_cost is for one process", "binning.bundle_conflicts is for one process",
	"the parts of ranks may cut queries", "which stay in their files", "cannot go with binning.bundle", "reads columns, binning.layout", "train.memory_limit", "integer gradients without an offset", "takes cuts from all rows",
}

// rank is one process of a training over ranks.
type rank struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer // on standard error
}

// newRank starts a process that is a rank.
func newRank(cmd *exec.Cmd) (*rank, error) {
	r := &rank{cmd: cmd}
	cmd.Stderr = &r.said
	var err error
	if r.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReader(out)
	return r, cmd.Start()
}

// startRanks starts processes, each with its own environment and arguments, and hands their addresses on once all have printed theirs.
func (t *trial) startRanks(commands []*exec.Cmd) (ranks []*rank, err error) {
	for i, cmd := range commands {
		number := i
		if t.place != nil {
			number = t.place(i)
		}
		cmd.Args = append(cmd.Args, fmt.Sprintf("--rank=%d/%d", number, len(commands)), "--listen=127.0.0.1:0")
		cmd.Env = append(cmd.Env, rankToken)
		r, err := newRank(cmd)
		if err != nil {
			return ranks, err
		}
		ranks = append(ranks, r)
	}
	var addresses []string
	for _, r := range ranks {
		line, _ := r.out.ReadString('\n')
		if address, ok := strings.CutPrefix(strings.TrimSpace(line), "address "); ok {
			addresses = append(addresses, address)
			if t.onAddress != nil {
				t.onAddress(address)
			}
		}
	}
	for _, r := range ranks {
		if len(addresses) == len(ranks) {
			_, _ = io.WriteString(r.in, strings.Join(addresses, "\n")+"\n")
		}
		_ = r.in.Close()
	}
	return ranks, nil
}

// endRanks waits for all ranks, at most so long.
func (t *trial) endRanks(ranks []*rank, limit time.Duration) ([]ended, error) {
	ends, errs := make([]ended, len(ranks)), make([]error, len(ranks))
	begin := time.Now()
	var all sync.WaitGroup
	for i, r := range ranks {
		all.Go(func() {
			out, _ := io.ReadAll(r.out)
			err := r.cmd.Wait()
			ends[i] = ended{r.cmd.ProcessState.ExitCode(), string(out), r.said.String(), time.Since(begin), harness.Peak(r.cmd.ProcessState)}
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				errs[i] = err
				return
			}
			errs[i] = ends[i].panicked(r.cmd)
		})
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var err error
	select {
	case <-over:
	case <-t.ctx.Done():
		err = t.ctx.Err()
	case <-timer.C:
		err = fmt.Errorf("not finished after %s: %s", limit, said(ranks[0].cmd))
	}
	if err != nil {
		for _, r := range ranks {
			_ = r.cmd.Process.Kill()
		}
		<-over
	}
	return ends, errors.Join(append(errs, err)...)
}

func prepareRanks(*trial) (func(t *trial) error, error) { return ranksDiffer, nil }

// ranksDiffer trains on a random table in one process and over ranks. Of what must not matter, each rank takes its own.
func ranksDiffer(t *trial) error {
	rows := 0
	if t.IntN(40) == 0 {
		rows = 20_000 + t.IntN(60_000)
	}
	table := newTable(t, rows)
	sets := lastOfEach(table.forRanks(t, rankSettings(t, table)))
	if _, err := table.formats(t); err != nil {
		return err
	}
	shared := []string{"train", "-q"}
	holdsOut := slices.ContainsFunc(sets, func(s string) bool { return strings.HasPrefix(s, "train.valid") || s == "train.retrain=true" })
	if t.IntN(3) == 0 && table.rows > 0 && !holdsOut {
		if err := t.write("valid.csv", table.text(",", 0, 1+t.IntN(table.rows))); err != nil {
			return err
		}
		shared = append(shared, "--valid", "valid.csv")
	}
	for _, s := range sets {
		shared = append(shared, "--set", s)
	}
	if t.IntN(6) == 0 {
		e, err := t.end(nil, append(slices.Clone(shared), "t.parquet", "--set", "train.early_stopping=0", "--set", "train.rounds=3", "-o", "base.boost")...)
		if err != nil {
			return err
		}
		if e.code == 0 {
			shared = append(shared, "--init-model", "base.boost")
		}
	}
	n := 2 + t.IntN(4)
	whole := []string{"t.csv", "t.csv.gz", "t.parquet", "t.arrow"}[t.IntN(4)]
	for _, flag := range []string{"", "--split"} {
		if err := t.compareRanks(shared, []string{whole}, slices.Repeat([]string{whole}, n), flag); err != nil {
			return fmt.Errorf("%w\n  settings %s", err, sets)
		}
	}
	parts, err := table.parts(t, n)
	if err != nil {
		return err
	}
	if err := t.compareRanks(shared, parts, parts, "--share"); err != nil {
		return fmt.Errorf("%w\n  settings %s", err, sets)
	}
	return nil
}

// compareRanks compares the model of one process with that of ranks which are given a table each: all the same, of which they read all or with
// --split a part, or with --share each a table of its own.
func (t *trial) compareRanks(shared, one, each []string, flag string) error {
	args := slices.Concat(shared, one, []string{"-o", "one.boost", "--set", "train.threads=1"})
	var flags []string
	if flag != "" {
		flags = []string{flag}
		args = append(args, "--set", "data.out_of_core=true")
	}
	for _, name := range []string{"one.boost", "ranks.boost"} {
		if err := t.write(name, nil); err != nil {
			return err
		}
	}
	want, err := t.end(nil, args...)
	if err != nil {
		return err
	}
	model, err := t.read("one.boost")
	if err != nil {
		return err
	}
	var ends []ended
	var ways []string // of each rank
	if flag != "--share" && t.IntN(3) == 0 {
		e, err := t.end(nil, slices.Concat(shared, one, flags, []string{"-o", "ranks.boost", fmt.Sprint("--ranks=", len(each))})...)
		if err != nil {
			return err
		}
		ends, ways = []ended{e}, []string{"--ranks"}
	} else {
		var commands []*exec.Cmd
		for _, table := range each {
			var w way
			for _, d := range dimensions {
				n := t.IntN(3 * len(d))
				switch {
				case n >= len(d), slices.ContainsFunc(shared, func(s string) bool { return keyOf(s) == keyOf(d[n]) }), strings.HasPrefix(d[n], "data."), strings.HasPrefix(d[n], "train.verify"):
				case strings.Contains(d[n], "."):
					w.sets = append(w.sets, "--set", d[n])
				default:
					w.env = append(w.env, d[n])
				}
			}
			ways = append(ways, strings.Join(slices.Concat(w.env, w.sets, []string{table}), " "))
			commands = append(commands, t.command(w.env, slices.Concat(shared, w.sets, flags, []string{table, "-o", "ranks.boost"})...))
		}
		ranks, err := t.startRanks(commands)
		if err != nil {
			return err
		}
		if ends, err = t.endRanks(ranks, hang); err != nil {
			return err
		}
	}
	return t.agreed(want, model, ends, ways, flag)
}

// agreed is an error where ranks have not ended as one process has.
func (t *trial) agreed(want ended, model []byte, ends []ended, ways []string, flag string) error {
	var words []string
	refused := false
	for i, e := range ends {
		words = append(words, fmt.Sprintf("rank %d: exit code %d, with %s: %s", i, e.code, ways[i], e.errors))
		if (e.code == 0) != (ends[0].code == 0) {
			return fmt.Errorf("ranks end in different ways (flag %q):\n%s", flag, strings.Join(words, "\n"))
		}
		for _, r := range rankRefusals {
			refused = refused || e.code != 0 && strings.Contains(e.errors, r)
		}
	}
	switch {
	case refused:
	case (ends[0].code == 0) != (want.code == 0), len(ends) == 1 && ends[0].code != want.code:
		return fmt.Errorf("one process ends with %d: %s\nranks (flag %q):\n%s", want.code, want.errors, flag, strings.Join(words, "\n"))
	}
	if ends[0].code != 0 {
		model = nil
	}
	if err := t.isOneOf("ranks.boost", model); err != nil {
		return fmt.Errorf("not the model of one process (flag %q): %w\n%s", flag, err, strings.Join(words, "\n"))
	}
	return nil
}

// parts writes the table in so many files, some without rows, and returns their paths.
func (r *randomTable) parts(t *trial, n int) (paths []string, err error) {
	cuts := []int{0, r.rows}
	for range n - 1 {
		cut := t.IntN(r.rows + 1)
		if t.IntN(4) == 0 {
			cut = cuts[t.IntN(len(cuts))]
		}
		cuts = append(cuts, cut)
	}
	slices.Sort(cuts)
	if r.grouped { // a query stays at one rank
		group := r.column("q").Floats
		for i, cut := range cuts {
			for cut > 0 && cut < r.rows && group[cut] == group[cut-1] {
				cut++
			}
			cuts[i] = cut
		}
	}
	format := []string{"csv", "csv", "parquet", "arrow"}[t.IntN(4)]
	for i := range n {
		from, to := cuts[i], cuts[i+1]
		name := fmt.Sprintf("share-%d.%s", i, format)
		text := r.text(",", from, to)
		if format != "csv" {
			var b bytes.Buffer
			if err := write.All(t.ctx, &b, format, []write.Table{r.part(from, to)}); err != nil {
				return nil, err
			}
			text = b.Bytes()
		}
		if err := t.write(name, text); err != nil {
			return nil, err
		}
		paths = append(paths, name)
	}
	return paths, nil
}
