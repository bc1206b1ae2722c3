package booster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boost/binning"
	"boost/booster/cache"
	"boost/dataset"
	"boost/internal/replace"
	"boost/parallel"
)

// ErrCache is wrapped by errors about a cache file that cannot be used. Load reads the
// tables then. TrainOn returns it if only training shows that the cache holds other
// rows than the run's: load with Input.Rebuild and train again.
var ErrCache = cache.ErrUnusable

// checkCache refuses to lose a file that is no cache: what is at the path has to be
// absent, empty or begin as caches do, and not be read by the run.
func (in *Input) checkCache() error {
	info, err := os.Stat(in.Cache)
	if err != nil {
		return nil // nothing to lose; whether it can be written is found when it is
	}
	if err := cache.CheckFile(in.Cache, info); err != nil {
		return fmt.Errorf("%w: data.cache = %q %w, and is not written over: name a file of its own, or delete this one", ErrParams, in.Cache, err)
	}
	read := []string{in.CutsFile}
	for i, path := range append(slices.Clone(in.Train), in.Valid...) {
		options := in.Options
		if i >= len(in.Train) {
			options = in.ValidOptions
		}
		files, err := dataset.Files([]string{path}, options...)
		if err != nil { // reported when the table is opened
			files, _ = filepath.Glob(path)
		}
		read = append(read, files...)
	}
	for _, name := range read {
		if other, err := os.Stat(name); err == nil && os.SameFile(info, other) {
			return fmt.Errorf("%w: data.cache = %q is read by the same run, and cannot be written over: name a file of its own", ErrParams, in.Cache)
		}
	}
	return nil
}

// cacheKey identifies the contents that the run's cache has to have.
func (in *Input) cacheKey(ctx context.Context, p *Params) (*cache.Key, error) {
	for _, path := range append(slices.Clone(in.Train), in.Valid...) {
		if path == "-" {
			return nil, fmt.Errorf("%w: data.cache: standard input cannot be compared with what is cached: read a file", ErrParams)
		}
	}
	key := &cache.Key{Numerics: NumericsVersion, Reader: dataset.ReaderVersion, Seed: p.Seed, Valid: make([]cache.Table, len(in.Valid))}
	var err error
	if key.Train, err = cache.Identify(ctx, in.Train, in.Options...); err != nil {
		return nil, err
	}
	for i, path := range in.Valid {
		if key.Valid[i], err = cache.Identify(ctx, []string{path}, in.ValidOptions...); err != nil {
			return nil, err
		}
	}
	switch {
	case !p.HoldsOut(len(in.Valid)) && p.looksAtQueries(in.From, len(in.Valid)):
		key.HeldOut = "none, rows by query"
	case !p.HoldsOut(len(in.Valid)):
	case p.ValidBy != "":
		key.HeldOut = "by column " + strconv.Quote(p.ValidBy)
	default:
		key.HeldOut = "by objective " + strconv.Quote(p.Objective)
		if p.ValidShare > 0 {
			key.HeldOut += fmt.Sprintf(", share %v", p.ValidShare)
		}
	}
	if in.From != nil {
		if key.Base, err = in.From.SHA256(); err != nil {
			return nil, err
		}
	}
	if in.CutsFile != "" {
		if key.Cuts, err = cache.IdentifyFile(ctx, in.CutsFile); err != nil {
			return nil, err
		}
	}
	key.Binning, err = binningKey(p.Binning)
	return key, err
}

// binningKey returns the parameters that codes follow from. binning.bundle_conflicts is none, because
// cells are left out for it when a matrix is made of codes.
func binningKey(p binning.Params) (map[string]json.RawMessage, error) {
	key := map[string]json.RawMessage{}
	for _, s := range binning.Settings(&p) {
		if s.Run && s.Name != "binning.storage" || s.Name == "binning.bundle_conflicts" {
			continue
		}
		text, err := json.Marshal(s.Value)
		if err != nil {
			return nil, err
		}
		key[s.Name] = text
	}
	return key, nil
}

// unchanged reports whether the files are still those of the key.
func (in *Input) unchanged(key *cache.Key) bool {
	if !key.Train.Unchanged(in.Train, in.Options...) {
		return false
	}
	for i, path := range in.Valid {
		if !key.Valid[i].Unchanged([]string{path}, in.ValidOptions...) {
			return false
		}
	}
	return true
}

// fromCache takes the tables from the cache, or logs why not.
func (l *Tables) fromCache(in *Input, key *cache.Key) bool {
	c, err := cache.Open(in.Cache, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		in.Log.Info("no cache yet: the tables are read", "file", in.Cache)
		return false
	case err != nil:
		in.Log.Warn("the cache is rebuilt", "file", in.Cache, "reason", strings.TrimPrefix(replace.Reason(err).Error(), ErrCache.Error()+": "))
		return false
	}
	if c.Schema.Written, err = dataset.Writing(in.Options...); err != nil { // the same as of the tables, by the key
		return false
	}
	in.Log.Info("using cache: the tables are not read", "file", in.Cache)
	l.Cached = true
	l.Train, l.Valid = cachedData(c)
	return true
}

// cachedData returns the training table and the validation tables of a cache.
func cachedData(c *cache.Contents) (train Data, valid []Data) {
	whole := &cachedSource{of: c, table: c.Others, print: c.Fingerprint}
	for i := range c.Sets {
		switch set := &c.Sets[i]; {
		case set.Rows != nil: // found by take
		case i == 0:
			whole.set = set
		default:
			valid = append(valid, Data{&cachedSource{of: c, set: set, table: set.Others, print: set.Fingerprint}})
		}
	}
	return Data{whole}, valid
}

// cachedSource is a table, or some rows of it, whose codes are in a cache.
type cachedSource struct {
	of    *cache.Contents
	set   *cache.Set     // nil where there are no codes of these rows
	table *dataset.Table // the columns that are no features
	print string
}

func (s *cachedSource) metaColumns() *dataset.Table { return s.table }

func (s *cachedSource) files() *dataset.ChunkedTable { return nil }

func (s *cachedSource) schema() dataset.Schema { return s.of.Schema }

func (s *cachedSource) fingerprint(*parallel.Pool) string { return s.print }

// as returns the set as it is: it was written with the schema of its training table.
func (s *cachedSource) as(dataset.Schema) (source, error) { return s, nil }

func (s *cachedSource) part() []int32 {
	if s.set == nil {
		return nil
	}
	return s.set.Rows
}

func (s *cachedSource) take(rows []int32) source {
	part := &cachedSource{of: s.of, table: s.table.Take(rows)}
	if i := slices.IndexFunc(s.of.Sets, func(set cache.Set) bool { return set.Rows != nil && slices.Equal(set.Rows, rows) }); i >= 0 {
		part.set = &s.of.Sets[i]
	}
	return part
}

func (s *cachedSource) fit(context.Context, []float64, binning.Params, uint64, *parallel.Pool) (*binning.Cuts, []string, error) {
	return s.of.Cuts, s.of.Notes, s.check()
}

func (s *cachedSource) extend(context.Context, *binning.Cuts, binning.Params) (*binning.Cuts, []string, error) {
	return s.of.Cuts, s.of.Notes, s.check()
}

func (s *cachedSource) code(context.Context, *binning.Cuts, binning.Params, *parallel.Pool) (*binning.Codes, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	codes := s.set.Codes
	s.set.Codes = nil // a matrix may take over their memory
	return codes, nil
}

func (s *cachedSource) check() error {
	if s.set == nil || s.set.Codes == nil {
		return fmt.Errorf("%w: it holds other rows than this run trains on", ErrCache)
	}
	return nil
}

// cacheTask is the cache that a run is to write.
type cacheTask struct {
	path    string
	key     *cache.Key
	fresh   func() bool // the files are still those of the key
	storage string
}

// cacheOutput writes the cache of a run. A nil one writes nothing. A cache that cannot be written
// does not stop training.
type cacheOutput struct {
	*cacheTask
	writer *cache.Writer
	log    *slog.Logger
}

func (c *cacheTask) create(log *slog.Logger) *cacheOutput {
	if c == nil {
		return nil
	}
	w, err := cache.Create(c.path)
	if err != nil {
		log.Warn("the cache cannot be written", "reason", err.Error())
		return nil
	}
	return &cacheOutput{c, w, log}
}

// add writes the codes of a set.
func (o *cacheOutput) add(s source, codes *binning.Codes) {
	if o == nil {
		return
	}
	set := cache.Set{Rows: s.part(), Codes: codes}
	if set.Rows == nil {
		set.Others = s.metaColumns()
	}
	o.writer.Add(set, o.storage)
}

// finish writes what is known after all sets are coded.
func (o *cacheOutput) finish(c *cache.Contents) {
	if o == nil {
		return
	}
	var err error
	if o.fresh() {
		err = o.writer.Finish(o.key, c)
	} else {
		o.writer.Discard()
		err = errors.New("its files have changed since training began")
	}
	if err != nil {
		o.log.Warn("the cache cannot be written", "reason", err.Error())
		return
	}
	o.log.Info("cache written", "file", o.path)
}

func (o *cacheOutput) discard() {
	if o != nil {
		o.writer.Discard()
	}
}
