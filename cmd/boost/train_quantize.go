package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/dataset"
	"boost/internal/replace"
	"boost/internal/report"
	"boost/internal/vfs"
	"boost/ptq"
	"boost/ptq/compress"
)

// errLossOutOfCore refuses a bound that needs rows with all their columns in memory.
var errLossOutOfCore = exit.Plain("quantize.max_loss needs the validation set in memory, and the tables are larger than that: train without it, and give boost quantize a table that fits as --data", booster.ErrBudget)

// configureQuantize decides which compressed model is wanted beside the full one.
func (r *trainRun) configureQuantize() error {
	c := r.config
	q := &c.Quantize
	forms := &compress.Choice{Calibrate: q.Calibrate, By: q.By, TypesName: "quantize.dtype", TiersName: "quantize.tiers",
		CalibrateName: "quantize.calibrate", ByName: "quantize.by"}
	if name := c.Params.QuantizeDType; name != "" {
		form, err := ptq.ParseForm(name)
		if err != nil {
			return exit.Usagef("quantize.dtype: %v", err)
		}
		forms.Forms = append(forms.Forms, form)
	}
	if err := forms.AddTiers(q.Tiers); err != nil {
		return exit.Usagef("%v", err)
	}
	bounded := q.MaxBytes > 0 || q.MaxLoss >= 0
	if len(forms.Forms) == 0 && !bounded {
		for _, key := range []string{"quantize.output", "quantize.calibrate", "quantize.by"} {
			if c.Given(key) {
				return exit.Usagef("%s needs quantize.dtype, such as \"Q4_0\", or a bound (quantize.max_bytes or quantize.max_loss)", key)
			}
		}
		return nil
	}
	if len(forms.Forms) > 0 || c.Given("quantize.calibrate") || c.Given("quantize.by") {
		if err := forms.Check(); err != nil {
			return exit.Usagef("%v", err)
		}
	}
	switch {
	case len(forms.Forms) > 1 && !bounded:
		return exit.Usagef("quantize.dtype and quantize.tiers name several forms, and nothing says which to take: name one, or set quantize.max_bytes or quantize.max_loss")
	case c.Params.ErrorFeedback && len(forms.Forms) > 1:
		return exit.Usagef("quantize.error_feedback grows trees for one form, quantize.dtype: leave quantize.tiers out")
	case q.MaxLoss >= 0 && c.Params.Retrain:
		return exit.Usagef("quantize.max_loss is certified on rows that are not trained on, and train.retrain trains on all: leave it out, or quantize the model afterwards (boost quantize --data TABLE)")
	case q.MaxLoss >= 0 && len(c.Data.Valid) == 0 && !c.Params.HoldsOut(0):
		return exit.Usagef("quantize.max_loss is certified on rows that are not trained on: give --valid TABLE, or hold rows out with --valid 0.2 or train.early_stopping")
	case q.MaxLoss >= 0 && slices.Contains(r.certifying(), "-"):
		return exit.Usagef("quantize.max_loss reads %s again after training, and standard input cannot be: give a file", strings.Join(r.certifying(), " "))
	}
	if q.Output == "" {
		q.Output = strings.TrimSuffix(c.Output.Model, ".boost") + ".q.boost"
	}
	if q.Output == "-" || slices.ContainsFunc([]string{c.Output.Model, c.Output.Predictions, c.Data.Cache}, func(other string) bool {
		return other != "" && (q.Output == other || filename.Same(q.Output, other))
	}) {
		return exit.Usagef("quantize.output = %q is standard output, or written by the same run under another key: give it a name of its own", q.Output)
	}
	r.forms = forms
	return nil
}

// certifying returns the files of the rows that a compressed model is certified on: the first
// validation set, or the training table, of which rows are held out.
func (r *trainRun) certifying() []string {
	if valid := r.config.Data.Valid; len(valid) > 0 {
		return valid[:1]
	}
	return r.config.Data.Train
}

// unseen reads the rows that a compressed model is certified on; nil: there are none.
func (r *trainRun) unseen(ctx context.Context, m *booster.Model) (*dataset.Table, error) {
	files := r.certifying()
	held := r.report.HeldOut
	if r.report.Retrained {
		held = nil
	}
	if r.outOfCore || slices.Contains(files, "-") || len(r.config.Data.Valid) == 0 && held == nil {
		return nil, nil
	}
	opts := append(r.config.ReadOptions(), dataset.As(m.Schema()))
	t, err := r.a.open(ctx, files, opts...)
	if err != nil || len(r.config.Data.Valid) > 0 {
		return t, err
	}
	return t.Take(held), nil
}

// quantize makes the compressed model that is asked for.
func (r *trainRun) quantize(ctx context.Context, m *booster.Model) (*compress.Result, error) {
	q := &r.config.Quantize
	s := compress.Settings{MaxBytes: q.MaxBytes, MaxLoss: math.NaN()}
	if q.MaxLoss >= 0 {
		s.MaxLoss = q.MaxLoss
	}
	var err error
	if s.Data, err = r.unseen(ctx, m); err != nil {
		return nil, err
	}
	if s.Formats, err = r.forms.Formats(m); err != nil {
		return nil, err
	}
	if r.config.Params.ErrorFeedback {
		s.Feedback, s.Prune = compress.FeedbackOff, compress.PruneOff // training has seen to it
		if _, typed := s.Formats[0].Form.DType(); typed && !r.config.Given("quantize.by") {
			// Trees were grown on leaves with scales of their own.
			s.Formats[0].Calibration.By, s.Formats[0].Calibration.Float32Scales = compress.ByTree, true
		}
	}
	pool := r.a.pool(r.config.Params.Threads)
	defer pool.Close()
	return compress.Quantize(ctx, m, s, compress.Pool(pool))
}

// save writes the model, and together with it the compressed one that is asked for. An
// interrupted model stands alone, and so does one that has no compressed model within the
// bounds: as MODEL.partial, so that what was trained is not lost.
func (r *trainRun) save(ctx context.Context, m *booster.Model, path string, interrupted bool) error {
	if r.forms == nil || interrupted {
		return m.Save(path)
	}
	small, err := r.quantize(ctx, m)
	if err != nil {
		if saveErr := m.Save(path + ".partial"); saveErr != nil {
			return errors.Join(err, saveErr)
		}
		return fmt.Errorf("[quantize]: %w; the full model was written to %s: boost quantize compresses it without training again", err, path+".partial")
	}
	var files []replace.New
	for _, f := range []struct {
		path  string
		model *model.Model
	}{{path, m}, {r.config.Quantize.Output, small.Model}} {
		data, err := f.model.Encode()
		if err != nil {
			return err
		}
		files = append(files, replace.New{Path: f.path, Write: func(f vfs.File) error {
			_, err := f.Write(data)
			return err
		}})
	}
	if err := replace.Files(vfs.OS, files...); err != nil {
		return fmt.Errorf("the models cannot be saved: %w", err)
	}
	if small.NotPruned != "" {
		r.a.log.Info("pruned models were not tried: " + small.NotPruned)
	}
	if words := report.MarkedLevels(&small.Certificate); words != "" {
		r.a.log.Info(words)
	}
	r.small = small
	r.a.warnOfFewBits(small)
	r.a.warnOfFewRows(small)
	return nil
}
