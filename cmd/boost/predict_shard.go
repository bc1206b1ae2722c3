package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/exit"
	"boost/dataset"
	"boost/internal/predictions"
	"boost/internal/unseen"
)

// shardFlag is the flag that chooses a part of the rows.
type shardFlag struct {
	given string
	shard predictions.Shard // zero without the flag
}

func (f *shardFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.given, "shard", "", "`I/N`: predict part I of N of the rows only, from 0/N on")
}

// check reads the flag. A table is read twice with it.
func (f *shardFlag) check(tables []string) error {
	if f.given == "" {
		return nil
	}
	part, of, ok := strings.Cut(f.given, "/")
	var errs [2]error
	f.shard.Part, errs[0] = strconv.Atoi(part)
	f.shard.Of, errs[1] = strconv.Atoi(of)
	if !ok || errs[0] != nil || errs[1] != nil || f.shard.Part < 0 || f.shard.Part >= f.shard.Of {
		return exit.Usagef("--shard %s: expected I/N, from 0/4 for the first of four to 3/4 for the last", f.given)
	}
	if slices.Contains(tables, "-") {
		return exit.Usagef("--shard counts the rows before it predicts, and standard input can be read once: name a file")
	}
	return nil
}

// predictShard predicts a part of the rows. What follows from all rows is found out before, so that the parts are those of the whole.
func (a *app) predictShard(ctx context.Context, p *predictions.Predictions, f *predictFlags, tables []string, opts ...dataset.Option) error {
	if _, err := dataset.Files(tables, opts...); err != nil {
		return err
	}
	s, err := a.stream(ctx, tables, opts...)
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := predictions.NewStream(*p, f.onUnseen)
	if err != nil {
		return err
	}
	all.Files = tables
	rows, whole, err := all.Survey(ctx, s)
	if err != nil {
		return badcells.OfPredicting(err)
	}
	mode := f.onUnseen
	if mode == "" { // the columns of the whole table were judged
		mode = unseen.Missing
	}
	part, err := predictions.NewStream(*p, mode)
	if err != nil {
		return err
	}
	if p.TypesIDs(p.Model.Schema()) {
		part.Whole = whole
	}
	part.Shard, part.Total = f.shard, rows
	return a.predictStream(ctx, part, tables, f.output, opts...)
}
