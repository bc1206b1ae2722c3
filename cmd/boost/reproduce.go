package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/search"
	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/internal/format"
	"boost/internal/report"
)

// reproduceFlags is the command line of reproduce.
type reproduceFlags struct {
	reading
	valid []string
	base  string
	json  bool
}

func (a *app) reproduceCommand() *cobra.Command {
	var f reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce MODEL TABLE",
		Short: "Train a model again and compare the bytes",
		Long: `Train again with the parameters in the model, on the table that it was trained on, and compare the
bytes. The exit code is 0 if they are equal, else 1, and the first part of the file that differs
is named. Give the validation sets of the training in the same order, and the base of a
continued or refitted model.`,
		Example: `  boost reproduce price.boost data.csv
  boost reproduce price.boost data.csv --valid valid.csv --json`,
		Args: usage.Arguments("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSides(cmd, args[0], args[1:]); err != nil {
				return err
			}
			return a.reproduce(cmd.Context(), args[0], args[1], &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.valid, "valid", nil, "validation `TABLE` of the training; repeatable")
	cmd.Flags().StringVar(&f.base, "init-model", "", "`MODEL` that the training continued or the refit changed")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	f.addSet(cmd, keyflags.Reading)
	return cmd
}

// verdict is what reproduce prints.
type verdict struct {
	Same        bool   `json:"same"`
	Differs     string `json:"differs,omitempty"` // "fingerprint", "valid fingerprint", "base model", or a part of the file
	SHA256      string `json:"sha256"`
	Retrained   string `json:"retrained_sha256,omitempty"`
	explanation string
}

func (a *app) reproduce(ctx context.Context, modelFile, tableFile string, f *reproduceFlags) error {
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return err
	}
	m, err := regdir.Load(modelFile)
	if err != nil {
		return err
	}
	contents := m.Contents()
	if len(f.valid) != len(contents.ValidPrints) {
		return exit.Usagef("the model was trained with %s, and %d given: name each with --valid, in the same order",
			format.Counted(len(contents.ValidPrints), "validation set"), len(f.valid))
	}
	if err := ownObjective(m, modelFile); err != nil {
		return err
	}
	base, err := f.loadBase(m, modelFile)
	if err != nil {
		return err
	}
	if z := m.Compressed(); z != nil {
		return exit.Usagef("%s is compressed: reproduce the full model, sha256 %s, and compress that again", modelFile, z.Source)
	}
	if contents.NumericsVersion != booster.NumericsVersion {
		a.log.Warn("the model was trained by a version of boost that calculates differently",
			"model", contents.NumericsVersion, "this", booster.NumericsVersion)
	}
	if m.Trust() != nil { // training does not make it
		if m, err = m.WithTrust(nil); err != nil {
			return err
		}
		a.log.Info("the model is compared without its calibration, threshold and intervals, which boost calibrate finds")
	}
	original, err := m.Encode() // the file may be in JSON
	if err != nil {
		return err
	}
	v, err := a.retrain(ctx, m, base, original, tableFile, c, f)
	if err != nil {
		return err
	}
	err = a.answer(f.json, v, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, v.explanation)
		return err
	})
	if err == nil && !v.Same {
		return &exit.Silent{Err: errors.New("the models differ")}
	}
	return err
}

// loadBase loads the model that the model's last step began with, nil where that is none.
func (f *reproduceFlags) loadBase(m *model.Model, file string) (*model.Model, error) {
	c := m.Contents()
	o := c.Origin
	switch {
	case c.After > 0:
		return nil, exit.Usagef("%s is the tail of a model: append it to the rounds before it", file)
	case o == nil && f.base == "":
		return nil, nil
	case o == nil:
		return nil, exit.Usagef("%s was not continued from another model: leave --init-model out", file)
	case o.How == model.Merged:
		return nil, exit.Usagef("%s was merged from %s, not trained: merge these again; an average that boost cv -o wrote is of its folds' models, and the same boost cv makes it again", file, format.Counted(len(o.Models), "model"))
	case o.How == model.Pruned:
		return nil, exit.Usagef("%s was pruned: reproduce the model %s instead", file, o.Models[0])
	case f.base == "":
		return nil, exit.Usagef("%s was %s from another model: give it with --init-model (sha256 %s)", file, o.How, o.Models[0])
	case o.How == model.Continued && c.RoundsTrained() <= o.Rounds:
		return nil, exit.Usagef("%s has only the rounds of the model that it was %s from", file, o.How)
	}
	return regdir.Load(f.base)
}

// retrain checks that the tables are those of the model and trains on them.
func (a *app) retrain(ctx context.Context, m, base *model.Model, original []byte, tableFile string, c *configs.Config, f *reproduceFlags) (*verdict, error) {
	contents := m.Contents()
	v := &verdict{SHA256: fmt.Sprintf("%x", sha256.Sum256(original))}
	if base != nil {
		sum, err := base.SHA256()
		if err != nil {
			return nil, err
		}
		if want := contents.Origin.Models[0]; sum != want {
			v.Differs = "base model"
			v.explanation = fmt.Sprintf("different: %s is not the model that training began with (sha256 %s, that one has %s)", f.base, sum, want)
			return v, nil
		}
	}
	pool := a.pool(0)
	defer pool.Close()
	table, err := a.openAs(ctx, m.Schema(), c, tableFile)
	if err != nil {
		return nil, badcells.AtCommandLine(err)
	}
	if err := needLabel(table, tableFile, m.Schema()); err != nil {
		return nil, err
	}
	print := table.Fingerprint(pool)
	if gathered, rows := table.ByQuery(); rows != nil && print != contents.Fingerprint { // training may have looked at queries
		print = gathered.Fingerprint(pool)
	}
	if print != contents.Fingerprint {
		v.Differs = "fingerprint"
		v.explanation = fmt.Sprintf("different: %s is not the table that the model was trained on (fingerprint %s, the model's is %s)",
			tableFile, print, contents.Fingerprint)
		return v, nil
	}
	opts := []booster.Option{booster.Logger(a.log), booster.WithPool(pool)}
	for i, file := range f.valid {
		valid, err := a.openAs(ctx, m.Schema(), c, file)
		if err != nil {
			return nil, badcells.AtCommandLine(err)
		}
		if print := valid.Fingerprint(pool); print != contents.ValidPrints[i] {
			v.Differs = "valid fingerprint"
			v.explanation = fmt.Sprintf("different: %s is not validation set %d of the model (fingerprint %s, the model's is %s)",
				file, i+1, print, contents.ValidPrints[i])
			return v, nil
		}
		opts = append(opts, booster.Valid(report.SetName("valid", i), valid))
	}
	again, err := search.Reproduce(ctx, m, base, table, opts...)
	if err != nil {
		return nil, err
	}
	bytes, err := again.Encode()
	if err != nil {
		return nil, err
	}
	v.Retrained = fmt.Sprintf("%x", sha256.Sum256(bytes))
	v.Differs = model.DiffSections(original, bytes)
	v.Same = v.Differs == ""
	v.explanation = "same: sha256 " + v.SHA256
	if !v.Same {
		v.explanation = fmt.Sprintf("different: the first difference is in %s\nmodel      sha256 %s\nretrained  sha256 %s", v.Differs, v.SHA256, v.Retrained)
	}
	return v, nil
}
