// Package compression says which compressed models a command line or a config asks for, and what to know of one that was made.
//
// In: flags, keys, a result of package compress. Out: its settings, words. It must not know commands.
package compression

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/filename"
	"boost/configs"
	"boost/internal/format"
	"boost/objectives/metrics"
	"boost/ptq"
	"boost/ptq/compress"
)

// Flags are what a command line says of a compressed model.
type Flags struct {
	Dtypes, Tiers  []string
	Calibrate, By  string
	MaxBytes       string
	MaxLoss        string
	Data           string // rows to search and certify on
	AllowTrainData bool
	Feedback       string
	Prune          string
	KeepStats      bool
	KeepLevels     bool
}

// Settings reads the bounds.
func (f *Flags) Settings() (compress.Settings, error) {
	s := compress.Settings{MaxLoss: math.NaN(), Statistics: f.KeepStats, KeepLevels: f.KeepLevels, AllowTrainingData: f.AllowTrainData}
	if f.MaxBytes != "" {
		bytes, err := configs.ParseSize(f.MaxBytes)
		if err != nil || bytes == 0 {
			return s, exit.Usagef("--max-bytes must be a number of bytes or a size like 200KB, not %q", f.MaxBytes)
		}
		s.MaxBytes = bytes
	}
	if f.MaxLoss != "" {
		share, err := configs.ParseShare(f.MaxLoss)
		if err != nil || share < 0 || share > 1 {
			return s, exit.Usagef("--max-loss must be a share of the metric, such as 0.1%% or 0.001, not %q", f.MaxLoss)
		}
		s.MaxLoss = share
	}
	if err := exit.OneOf("error-feedback", f.Feedback, "auto", "on", "off"); err != nil {
		return s, err
	}
	s.Feedback = map[string]compress.Feedback{"on": compress.FeedbackOn, "off": compress.FeedbackOff}[f.Feedback]
	if err := exit.OneOf("prune", f.Prune, "auto", "on", "off"); err != nil {
		return s, err
	}
	s.Prune = map[string]compress.Pruning{"on": compress.PruneOn, "off": compress.PruneOff}[f.Prune]
	if f.Prune == "on" && (f.Data == "" || f.MaxBytes == "" && f.MaxLoss == "") {
		return s, exit.Usagef("--prune on needs rows with --data, to fit leaves to, and a bound to choose by (--max-loss or --max-bytes)")
	}
	if f.Feedback == "on" && f.Data == "" {
		return s, exit.Usagef("--error-feedback on needs rows with --data")
	}
	if f.AllowTrainData && f.Data == "" {
		return s, exit.Usagef("--allow-train-data needs --data")
	}
	return s, nil
}

// Forms reads which forms there are to choose from.
func (f *Flags) Forms() (*compress.Choice, error) {
	c := &compress.Choice{Calibrate: f.Calibrate, By: f.By, TypesName: "--dtype", TiersName: "--tiers", CalibrateName: "--calibrate", ByName: "--by"}
	for _, read := range []func() error{
		func() error { return c.AddTypes(f.Dtypes) }, func() error { return c.AddTiers(f.Tiers) }, c.Check,
	} {
		if err := read(); err != nil {
			return nil, exit.Usagef("%v", err)
		}
	}
	return c, nil
}

// Wanted decides which compressed model a training run is to write beside the full one, and completes its name; nil for none.
func Wanted(c *configs.Config) (*compress.Choice, error) {
	q := &c.Quantize
	forms := &compress.Choice{Calibrate: q.Calibrate, By: q.By, TypesName: "quantize.dtype", TiersName: "quantize.tiers",
		CalibrateName: "quantize.calibrate", ByName: "quantize.by"}
	if name := c.Params.QuantizeDType; name != "" {
		form, err := ptq.ParseForm(name)
		if err != nil {
			return nil, exit.Usagef("quantize.dtype: %v", err)
		}
		forms.Forms = append(forms.Forms, form)
	}
	if err := forms.AddTiers(q.Tiers); err != nil {
		return nil, exit.Usagef("%v", err)
	}
	bounded := q.MaxBytes > 0 || q.MaxLoss >= 0
	if len(forms.Forms) == 0 && !bounded {
		for _, key := range []string{"quantize.output", "quantize.calibrate", "quantize.by"} {
			if c.Given(key) {
				return nil, exit.Usagef("%s needs quantize.dtype, such as \"Q4_0\", or a bound (quantize.max_bytes or quantize.max_loss)", key)
			}
		}
		return nil, nil
	}
	if len(forms.Forms) > 0 || c.Given("quantize.calibrate") || c.Given("quantize.by") {
		if err := forms.Check(); err != nil {
			return nil, exit.Usagef("%v", err)
		}
	}
	switch {
	case len(forms.Forms) > 1 && !bounded:
		return nil, exit.Usagef("quantize.dtype and quantize.tiers name several forms, and nothing says which to take: name one, or set quantize.max_bytes or quantize.max_loss")
	case c.Params.ErrorFeedback && len(forms.Forms) > 1:
		return nil, exit.Usagef("quantize.error_feedback grows trees for one form, quantize.dtype: leave quantize.tiers out")
	case q.MaxLoss >= 0 && c.Params.Retrain:
		return nil, exit.Usagef("quantize.max_loss is certified on rows that are not trained on, and train.retrain trains on all: leave it out, or quantize the model afterwards (boost quantize --data TABLE)")
	case q.MaxLoss >= 0 && len(c.Data.Valid) == 0 && !c.Params.HoldsOut(0):
		return nil, exit.Usagef("quantize.max_loss is certified on rows that are not trained on: give --valid TABLE, or hold rows out with --valid 0.2 or train.early_stopping")
	case q.MaxLoss >= 0 && slices.Contains(Certifying(c), "-"):
		return nil, exit.Usagef("quantize.max_loss reads %s again after training, and standard input cannot be: give a file", strings.Join(Certifying(c), " "))
	}
	if q.Output == "" {
		q.Output = strings.TrimSuffix(c.Output.Model, ".boost") + ".q.boost"
	}
	if q.Output == "-" || slices.ContainsFunc([]string{c.Output.Model, c.Output.Predictions, c.Data.Cache}, func(other string) bool {
		return other != "" && filename.One(q.Output, other)
	}) {
		return nil, exit.Usagef("quantize.output = %q is standard output, or written by the same run under another key: give it a name of its own", q.Output)
	}
	return forms, nil
}

// Measures reports whether a metric measures the loss of a compressed model: whether it is a mean over rows.
func Measures(metric string) bool {
	m, err := metrics.New(metric)
	_, byRow := m.(metrics.ByRow)
	return err == nil && byRow
}

// Measurable refuses rows for a model whose metric is no mean over rows: they cannot say what its compressed forms lose.
func Measurable(m *model.Model, data string) error {
	names, err := m.DefaultMetrics()
	if err != nil || Measures(names[0]) {
		return err
	}
	return exit.Usagef("--data %s: the loss is measured by a mean over rows, and %s, by which objective %s is judged, is none: leave --data and --max-loss out",
		format.Pasted(data), names[0], m.Objective())
}

// Certifying returns the files of the rows that a compressed model is certified on: the first
// validation set, or the training table, of which rows are held out.
func Certifying(c *configs.Config) []string {
	if valid := c.Data.Valid; len(valid) > 0 {
		return valid[:1]
	}
	return c.Data.Train
}

// fewRows is how many rows certify too little: see docs/compression.md.
const fewRows = 50

// Warnings says what forms of a bit or two cost, and that a bound from few rows holds less often than it says.
func Warnings(r *compress.Result) (warnings []string) {
	c := &r.Certificate
	if form := r.Model.Compressed().Leaves.Form(); form == ptq.FormOf(ptq.Binary) || form == ptq.FormOf(ptq.I2) {
		what := "the loss is unknown; pass labelled rows with --data to measure it"
		if c.Method == compress.ByBootstrap {
			what = fmt.Sprintf("%s goes from %s to %s (%+.3g %%)", c.Metric, format.Metric(c.Before), format.Metric(c.After), 100*c.Loss())
		}
		warnings = append(warnings, fmt.Sprintf("%s keeps very little of a leaf value: %s; I8 or Q4_0 are better first choices", form, what))
	}
	if c.Method == compress.ByBootstrap && c.Rows < fewRows {
		warnings = append(warnings, fmt.Sprintf("%s certify the loss: bounds from so few rows fail at least twice as often as stated; pass 200 rows or more, half of which certify", format.Counted(c.Rows, "row")))
	}
	return warnings
}

// AsUsage makes a wrong use of a refusal of the search that another command line would not meet.
func AsUsage(err error) error {
	if errors.Is(err, compress.ErrTrainingData) || errors.Is(err, compress.ErrNeedsData) ||
		errors.Is(err, compress.ErrChoice) || errors.Is(err, compress.ErrCompressed) ||
		errors.As(err, new(ptq.ErrCalibration)) || errors.As(err, new(compress.ErrPruning)) {
		return exit.Usagef("%v", err)
	}
	return err
}
