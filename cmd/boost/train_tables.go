package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"boost/booster/preset"
	"boost/booster/traindata"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/dataset"
	"boost/internal/comm"
	"boost/internal/format"
	"boost/internal/profile"
	"boost/objectives"
)

// load reads the tables, or prepares them for being read in chunks, or takes them from
// the cache.
func (r *trainRun) load(ctx context.Context, rebuild bool) (*traindata.Tables, error) {
	start := time.Now()
	c := r.config
	if len(c.Data.Train) > 1 && slices.Contains(c.Data.Train, "-") {
		return nil, exit.Usagef("standard input (-) cannot be joined with files")
	}
	if err := filename.RefuseModels(slices.Concat(c.Data.Train, c.Data.Valid)); err != nil {
		return nil, err
	}
	if err := c.SettleFor(preset.Table{Retrain: r.mayRetrain()}); err != nil { // a cache depends on it
		return nil, err
	}
	r.a.log.Debug("reading " + strings.Join(append(slices.Clone(c.Data.Train), c.Data.Valid...), " "))
	loaded, err := traindata.Load(ctx, c.Params, traindata.Input{
		Train: c.Data.Train, Options: r.tables, Valid: c.Data.Valid, ValidOptions: c.ReadOptions(), Stdin: r.a.stdin,
		OutOfCore: c.Data.OutOfCore, Cache: c.Data.Cache, Rebuild: rebuild, CutsFile: c.ForcedCutsFile, From: r.base, Log: r.a.log,
		Ranks: r.shared(), Split: r.ranks.Split, ShareRows: r.ranks.ShareRows,
	})
	if errors.Is(err, dataset.ErrNoLabel) {
		return nil, r.noLabel
	}
	if absent, ok := errors.AsType[*dataset.AbsentError](err); ok && absent.Option == "id" {
		switch absent.Column {
		case c.Params.ValidBy:
			absent.Option = "valid_by"
		case c.Params.RowBy:
			absent.Option = "row_by"
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.loadTests(ctx, loaded); err != nil {
		loaded.Close()
		return nil, err
	}
	r.loading = time.Since(start)
	return loaded, nil
}

// shared returns the ranks that share the rows of the training table, nil where each has all of them.
func (r *trainRun) shared() comm.Comm {
	if !r.ranks.Share && !r.ranks.Split {
		return nil
	}
	return r.comm
}

// loadTests says what is to be said about the tables and reads the test sets.
func (r *trainRun) loadTests(ctx context.Context, loaded *traindata.Tables) error {
	c := r.config
	rest, schema := loaded.Train.MetaColumns(), loaded.Train.Schema()
	r.a.tell(notesOf(rest))
	if r.base != nil {
		if err := needLabel(rest, strings.Join(c.Data.Train, " "), r.base.Schema()); err != nil {
			return err
		}
	}
	r.a.tell(slices.Concat(profile.Sentinels(loaded.Train.Table()), profile.Misspelt(rest.LabelColumn())))
	if r.base == nil {
		r.a.tell(profile.RowNames(loaded.Train.Table()))
	}
	r.a.log.Info(fmt.Sprintf("%s × %s", format.Counted(rest.NumRows(), "row"), format.Counted(len(schema.RoleNames(dataset.Feature)), "feature")))
	for i, valid := range loaded.Valid {
		r.a.tell(notesOf(valid.MetaColumns()))
		if err := needLabel(valid.MetaColumns(), c.Data.Valid[i], schema); err != nil {
			return err
		}
	}
	r.tests = nil
	for _, file := range c.Data.Test {
		test, err := r.a.openAs(ctx, schema, c, file)
		if err == nil && test.LabelColumn() == nil && c.Output.Predictions != "" {
			r.a.log.Info(file + " has no label: it is predicted, but not evaluated")
		} else if err == nil {
			err = needLabel(test, file, schema)
		}
		if err != nil {
			return err
		}
		r.tests = append(r.tests, test)
	}
	return nil
}

// checkTests looks at the labels of the test sets before the work, not after it.
func (r *trainRun) checkTests(objective objectives.Info, train *dataset.Table) error {
	classes, numeric := []string(nil), false
	for _, t := range r.tests {
		if t.LabelColumn() == nil {
			continue
		}
		if objective.HasClasses() && classes == nil && r.base != nil {
			classes, numeric = r.base.Classes(), r.base.Contents().NumericClasses
		} else if objective.HasClasses() && classes == nil {
			classes, numeric = dataset.ClassesOf(train.LabelColumn())
		}
		if _, err := t.Targets(len(train.LabelColumns()), classes, numeric); err != nil {
			return err
		}
		if _, err := t.Weights(); err != nil {
			return err
		}
	}
	return nil
}
