package configs

import (
	"errors"
	"slices"
	"time"

	"boost/booster"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/tensorq/store"
)

// ErrConfig wraps every problem with a config file or an assignment: absent,
// not TOML, an unknown key, a value of the wrong type or out of range.
var ErrConfig = errors.New("config")

// Config is all that a run needs to know. Start from Default.
type Config struct {
	Data   Data
	Params booster.Params // the preset's values in them
	Output Output
	// Registry is what a store of tensors goes by. Training does not look at it.
	Registry store.Config
	Preset   string        // a name of preset.Names whose values stand where nothing else was said; "" = none
	Effort   string        // the same of preset.Efforts, where Preset is ""; "" = none
	Budget   time.Duration // that a search of settings and training with them may take; 0 = no search
	// ForcedCutsFile names a file whose cuts become Params.Binning.ForcedCuts once the
	// table's features are known; "" = none.
	ForcedCutsFile string
	Quantize       Quantize
	InitModel      string // file of the model that training goes on from; "" = from nothing

	given map[string]place // where each key was set, by its own name
	asked booster.Params   // Params before Preset or Effort
}

// Data says which tables are read and how; dataSettings says what each may be. It is flat because its
// fields are the keys of the section [data].
type Data struct {
	Train       []string // files or globs, read as one table
	Valid       []string // every entry is a validation set of its own
	Test        []string // every entry is a test set of its own
	Label       []string // several: an output for each
	Weight      string
	Group       string
	Position    string
	Event       string
	LabelUpper  string
	InitScore   []string // one column per output
	ID          []string
	Ignore      []string
	Categorical []string
	Missing     []string          // texts of a missing cell beside those of MissingOnly
	MissingOnly []string          // used only if Given("data.missing_only")
	Parse       map[string]string // by column: how its numbers are written; "" stands for all others
	Blanks      string
	Format      string
	Decimal     string
	Encoding    string
	SkipLines   int
	Separator   string
	Header      string
	OnBadRow    string
	Absent      string // of LibSVM, as IndexBase
	IndexBase   string
	Sheet       string // of workbooks
	SideFiles   string
	Cache       string // file for the coded tables; "" = none
	OutOfCore   string
}

// Output says what is written.
type Output struct {
	Model       string // "" = named after the table
	Predictions string // "" = none; else predictions of the test sets
	Checkpoint  string // folder; "" = no checkpoints
	// CheckpointEvery is how often they are written.
	CheckpointEvery booster.CheckpointEvery
}

// Quantize says which compressed model is written beside the full one, together with
// Params.QuantizeDType and Params.ErrorFeedback.
type Quantize struct {
	Tiers     []string // to choose from, beside the data type; names of ptq.Forms
	MaxBytes  int64    // of the file; 0: any size
	MaxLoss   float64  // share by which the metric may get worse; below 0: by any
	Calibrate string   // how scales of data types are chosen, as "percentile:99.9"; "" = absmax
	By        string   // which leaves share such a scale: a name of compress.Granularity
	Output    string   // file; "" = named after the model
}

// Default returns the settings that a config file starts from.
func Default() Config {
	return Config{
		Params:   booster.Defaults(),
		Registry: store.DefaultConfig(),
		Quantize: Quantize{MaxLoss: -1, By: "output"},
		Output:   Output{CheckpointEvery: booster.DefaultCheckpointEvery},
		Data: Data{
			MissingOnly: dataset.DefaultMissing(),
			Blanks:      "trim",
			Format:      "auto",
			Decimal:     ".",
			Encoding:    "utf-8",
			Separator:   "auto",
			Header:      "auto",
			OnBadRow:    "stop",
			Absent:      "zero",
			IndexBase:   "auto",
			SideFiles:   "auto",
			OutOfCore:   traindata.OutOfCoreAuto,
		},
	}
}

// Given reports whether the key (its own name, not an alias) was set by the file or
// by an assignment, as opposed to keeping its default.
func (c *Config) Given(key string) bool {
	_, ok := c.given[key]
	return ok
}

// Changed returns the keys that do not have their default, section by section.
func (c *Config) Changed() []Key {
	return slices.DeleteFunc(keysOf(c), func(k Key) bool { return k.format() == k.Default() })
}

// clone returns a copy that shares no memory that assignments write to.
func (c *Config) clone() *Config {
	d := *c
	d.given = map[string]place{}
	for _, k := range keysOf(&d) {
		if list, ok := k.Value.(*[]string); ok {
			*list = slices.Clone(*list)
		}
		if list, ok := k.Value.(*[][]string); ok {
			*list = slices.Clone(*list)
		}
		if list, ok := k.Value.(*[]float64); ok {
			*list = slices.Clone(*list)
		}
		if at, ok := c.given[k.Name]; ok {
			d.given[k.Name] = at
		}
	}
	return &d
}
