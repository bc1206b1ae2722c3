package traindata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"

	"boost/binning"
	"boost/booster"
	"boost/booster/cache"
	"boost/booster/internal/budget"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/comm"
	"boost/internal/gcpercent"
)

// The values of Input.OutOfCore.
const (
	OutOfCoreAuto  = "auto"  // where booster.Params.MemoryLimit or the machine's memory asks for it
	OutOfCoreTrue  = "true"  // always
	OutOfCoreFalse = "false" // never
)

// Input is where the tables of a training run are and how they are read.
type Input struct {
	Train   []string         // files and patterns, read as one table; "-" is Stdin
	Options []dataset.Option // of the training table
	Valid   []string         // every entry is a validation set, called valid, valid2, …
	// ValidOptions are those of the validation sets; dataset.As is added.
	ValidOptions []dataset.Option
	Stdin        io.Reader // what "-" means
	OutOfCore    string    // one of the OutOfCore constants; "" is OutOfCoreAuto
	// Cache is the file that keeps coded tables, "" for none.
	Cache string
	// Rebuild is set to read the tables and write the cache anew, whatever is in it.
	Rebuild bool
	// CutsFile is a file that booster.Params.Binning.ForcedCuts come from, "" for none. The contents of a cache
	// follow from it too.
	CutsFile string
	// From is the model that training goes on from (see booster.From), nil for none. Tables are read
	// with its schema.
	From *booster.Model
	// Ranks share the training table: each reads its own files (see dataset.Share), or with Split its part of the same ones (see dataset.Split), and
	// all train on the rows of all. nil for none. ShareRows is the number of all rows, 0 for any.
	Ranks     comm.Comm
	Split     bool
	ShareRows int
	Log       *slog.Logger // gets what was chosen and why; nil for none

	memory budget.Machine
}

// Tables are the tables of a training run, in memory, in files or from a cache.
type Tables struct {
	Train booster.Data
	Valid []booster.Data
	// Cached is set if the tables come from the cache, OutOfCore if they stay in files.
	Cached, OutOfCore bool

	from    *booster.Model
	task    *cache.Task
	chunked []*dataset.ChunkedTable // to be closed
	sample  dataset.Option          // of the training table that stays in files
	spared  func()                  // ends what spares memory; nil for nothing
}

// Load reads the tables of a run, or prepares them for being read in chunks, or takes
// them from the cache. A cache that is out of date or damaged is not used, and written
// anew by training with Options. Close what is loaded after training.
func Load(ctx context.Context, p booster.Params, in Input) (*Tables, error) {
	if in.Log == nil {
		in.Log = slog.New(slog.DiscardHandler)
	}
	if in.From != nil {
		in.Options = append(slices.Clone(in.Options), dataset.As(in.From.Schema()), dataset.SkipUnlabelled())
	}
	p = p.OrDefaults()
	l := &Tables{from: in.From}
	if err := in.checkShare(&p); err != nil {
		return nil, err
	}
	if in.Cache != "" {
		if p.Tree.Linear || in.From != nil && in.From.HasLinear() {
			return nil, fmt.Errorf("%w: data.cache keeps codes only, and linear leaves (tree.linear) need the values of columns: leave it out", booster.ErrParams)
		}
		if p.BagFolds > 0 {
			return nil, fmt.Errorf("%w: data.cache keeps the codes of one training, and train.bag_folds = %d (as train.effort = \"best\" sets it) trains on parts of the rows: leave one of both out", booster.ErrParams, p.BagFolds)
		}
		if p.ValidBy != "" {
			return nil, fmt.Errorf("%w: data.cache keeps codes only, and train.valid_by = %q needs the marks of rows: leave one of both out, or hold a share of the rows out (train.valid_share)", booster.ErrParams, p.ValidBy)
		}
		if p.RowBy != "" && p.RowBy != booster.ByQuery {
			return nil, fmt.Errorf("%w: data.cache keeps codes only, and sampling.row_by = %q needs the column of what is drawn together: leave one of both out", booster.ErrParams, p.RowBy)
		}
		if err := in.checkCache(); err != nil {
			return nil, err
		}
		key, err := in.cacheKey(ctx, &p)
		if err != nil {
			return nil, err
		}
		if !in.Rebuild && l.fromCache(&in, key) {
			return l, nil
		}
		l.task = &cache.Task{Path: in.Cache, Key: key, Storage: p.Binning.Storage, Fresh: func() bool { return in.unchanged(key) }}
	}
	if in.Ranks != nil {
		share := dataset.Share
		if in.Split {
			share = dataset.Split
		}
		in.Options = append(slices.Clone(in.Options), share(in.Ranks, in.ShareRows))
	}
	reason, err := in.chooseOutOfCore(ctx, &p)
	if err != nil {
		return nil, err
	}
	l.OutOfCore = reason != ""
	if l.OutOfCore {
		in.Log.Info("training out of core: the files are read in chunks", "reason", reason)
		l.sample = in.sample(&p)
	}
	err = l.read(ctx, &in)
	if errors.Is(err, dataset.ErrMemory) && !l.OutOfCore && in.OutOfCore != OutOfCoreFalse && !in.streams() && in.needsMemory(&p) == "" {
		// By the sizes of the files the tables would take less.
		in.Log.Info("training out of core: the files are read in chunks", "reason", err.Error())
		l.Train, l.Valid, l.OutOfCore = booster.Data{}, nil, true
		err = l.read(ctx, &in)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// checkShare refuses what does not go with a table that ranks share.
func (in *Input) checkShare(p *booster.Params) error {
	var problem string
	switch {
	case in.Ranks == nil:
		return nil
	case in.Cache != "":
		problem = "data.cache keeps the codes of one process, and ranks share the table: leave it out"
	case in.OutOfCore == OutOfCoreFalse:
		problem = `data.out_of_core = "false": a table that ranks share stays in its files: leave it out`
	case p.Binning.Sample == 0:
		problem = "binning.sample = 0 takes cuts from all rows, and each rank has some: name a number of rows"
	default:
		why := in.needsMemory(p)
		if why == "" {
			return nil
		}
		problem = "ranks share the tables, which stay in their files, and " + why + ": leave it out"
	}
	return fmt.Errorf("%w: %s", booster.ErrParams, problem)
}

// sample returns the option by which a table in files keeps the rows that cuts are taken from. It is nil
// if rows are held out, because these, and so the rows that are left, are known only after all labels
// are read.
func (in *Input) sample(p *booster.Params) dataset.Option {
	if in.From != nil || in.Ranks != nil || p.Binning.Sample == 0 || p.HoldsOut(len(in.Valid)) {
		return nil
	}
	size, seed := p.Binning.Sample, p.Seed
	return dataset.KeepRows(size, func() dataset.RowChooser { return binning.NewSample(size, seed) })
}

// read opens or reads all tables.
func (l *Tables) read(ctx context.Context, in *Input) error {
	var err error
	options := in.Options
	if l.sample != nil {
		options = append(slices.Clone(options), l.sample)
	}
	if l.Train, err = l.open(ctx, in, in.Train, options); err != nil {
		return err
	}
	if len(in.Valid) == 0 {
		return nil
	}
	schema := l.Train.Schema()
	for _, path := range in.Valid {
		d, err := l.open(ctx, in, []string{path}, append(slices.Clone(in.ValidOptions), dataset.As(schema), dataset.SkipUnlabelled()))
		if err != nil {
			return err
		}
		l.Valid = append(l.Valid, d)
	}
	return nil
}

func (l *Tables) open(ctx context.Context, in *Input, paths []string, opts []dataset.Option) (booster.Data, error) {
	stream := len(paths) == 1 && paths[0] == "-" && in.Stdin != nil
	const name = "standard input"
	if !l.OutOfCore {
		var table *dataset.Table
		var err error
		if stream {
			table, err = dataset.Read(ctx, in.Stdin, name, opts...)
		} else {
			table, err = dataset.OpenAll(ctx, paths, opts...)
		}
		if err != nil {
			return booster.Data{}, err
		}
		if l.spared == nil {
			l.spared = gcpercent.LowerWide(len(table.Columns()))
		}
		return booster.InMemory(table), nil
	}
	defer gcpercent.Lower()()
	var table *dataset.ChunkedTable
	var err error
	if stream {
		table, err = dataset.ReadChunked(ctx, in.Stdin, name, opts...)
	} else {
		table, err = dataset.OpenChunked(ctx, paths, opts...)
	}
	if err != nil {
		return booster.Data{}, err
	}
	l.chunked = append(l.chunked, table)
	return booster.OutOfCore(table), nil
}

// Options are the options of a training run on l.Train: its validation sets, the model that
// it goes on from, and the cache to be written.
func (l *Tables) Options() []booster.Option {
	var opts []booster.Option
	if l.from != nil {
		opts = append(opts, booster.From(l.from))
	}
	for i, d := range l.Valid {
		name := "valid"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		opts = append(opts, booster.ValidOn(name, d))
	}
	if l.task != nil {
		opts = append(opts, booster.WithCache(l.task))
	}
	return opts
}

// Close frees files that are still read, and ends what spares memory for tables of very many columns.
func (l *Tables) Close() {
	if l.spared != nil {
		l.spared()
	}
	for _, s := range l.chunked {
		s.Close()
	}
	l.chunked, l.spared = nil, nil
}

// chooseOutOfCore returns why the tables stay in files, "" if they are read into memory.
func (in *Input) chooseOutOfCore(ctx context.Context, p *booster.Params) (reason string, err error) {
	if in.Ranks != nil {
		return "ranks share its rows", nil
	}
	switch in.OutOfCore {
	case OutOfCoreTrue:
		return "data.out_of_core = true", nil
	case OutOfCoreFalse:
		return "", nil
	case OutOfCoreAuto, "":
	default:
		return "", fmt.Errorf("%w: data.out_of_core = %q: must be one of true, false, auto", booster.ErrParams, in.OutOfCore)
	}
	limit := in.memory.Limit(p.MemoryLimit)
	if limit.Bytes <= 0 {
		return "", nil
	}
	if len(in.Train) == 1 && len(in.Valid) == 0 && dataset.SurelyFits(ctx, in.Train[0], limit.Bytes, in.Options...) {
		return "", nil
	}
	bytes := dataset.EstimateBytes(ctx, in.Train, in.Options...)
	for _, path := range in.Valid {
		bytes += dataset.EstimateBytes(ctx, []string{path}, in.ValidOptions...)
	}
	if bytes <= limit.Bytes {
		return "", nil
	}
	reason = fmt.Sprintf("the tables would take about %s, %s is %s", budget.Size(bytes), limit.Name, budget.Size(limit.Bytes))
	if why := in.needsMemory(p); why != "" {
		in.Log.Info(reason+", and yet they are read whole: "+why, "out_of_core", false)
		return "", nil
	}
	return reason, nil
}

// needsMemory returns why the tables cannot stay in files, "" if they can.
func (in *Input) needsMemory(p *booster.Params) string {
	switch {
	case p.Gradients == gradients.F32.String():
		return `train.gradients = "f32" needs them in memory`
	case p.Tree.Linear, in.From != nil && in.From.HasLinear():
		return "linear leaves (tree.linear) need the values of columns"
	case p.Retrain && in.From != nil:
		return "train.retrain of a model that goes on needs them in memory"
	case p.BagFolds > 0:
		return "train.bag_folds needs them in memory"
	case p.ValidBy != "":
		return "train.valid_by needs them in memory"
	case p.RowBy != "" && p.RowBy != booster.ByQuery:
		return "sampling.row_by needs them in memory"
	case p.Binning.Sample == 0:
		return "binning.sample = 0 needs them in memory"
	}
	return ""
}

// streams reports whether a table is one that can be read only once.
func (in *Input) streams() bool {
	_, err := dataset.Files(append(slices.Clone(in.Train), in.Valid...), dataset.InOrder())
	return err != nil
}
