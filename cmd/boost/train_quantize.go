package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"boost/booster"
	"boost/booster/model"
	"boost/cmd/boost/internal/compression"
	"boost/cmd/boost/internal/exit"
	"boost/dataset"
	"boost/internal/replace"
	"boost/internal/report"
	"boost/internal/vfs"
	"boost/ptq/compress"
)

// errLossOutOfCore refuses a bound that needs rows with all their columns in memory.
var errLossOutOfCore = exit.Plain("quantize.max_loss needs the validation set in memory, and the tables are read in chunks: train without it, and give boost quantize a table that fits as --data", booster.ErrBudget)

// unseen reads the rows that a compressed model is certified on; nil: there are none.
func (r *trainRun) unseen(ctx context.Context, m *booster.Model) (*dataset.Table, error) {
	files := compression.Certifying(r.config)
	held := r.report.HeldOut
	if r.report.Retrained {
		held = nil
	}
	if r.outOfCore || slices.Contains(files, "-") || len(r.config.Data.Valid) == 0 && held == nil {
		return nil, nil
	}
	names, err := m.DefaultMetrics()
	if err != nil {
		return nil, err
	}
	if !compression.Measures(names[0]) {
		r.a.log.Info(fmt.Sprintf("the loss of the compressed model is not measured: %s is no mean over rows", names[0]))
		return nil, nil
	}
	opts := append(r.config.ReadOptions(), dataset.As(m.Schema()), dataset.SkipUnlabelled())
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
	r.a.warnOf(small)
	return nil
}
