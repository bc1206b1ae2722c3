package traindata

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/booster/cache"
	"boost/dataset"
	"boost/internal/replace"
)

// checkCache refuses to lose a file that is no cache: what is at the path has to be
// absent, empty or begin as caches do, and not be read by the run.
func (in *Input) checkCache() error {
	info, err := os.Stat(in.Cache)
	if err != nil {
		return nil // nothing to lose; whether it can be written is found when it is
	}
	if err := cache.CheckFile(in.Cache, info); err != nil {
		return fmt.Errorf("%w: data.cache = %q %w, and is not written over: name a file of its own, or delete this one", booster.ErrParams, in.Cache, err)
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
			return fmt.Errorf("%w: data.cache = %q is read by the same run, and cannot be written over: name a file of its own", booster.ErrParams, in.Cache)
		}
	}
	return nil
}

// cacheKey identifies the contents that the run's cache has to have.
func (in *Input) cacheKey(ctx context.Context, p *booster.Params) (*cache.Key, error) {
	for _, path := range append(slices.Clone(in.Train), in.Valid...) {
		if path == "-" {
			return nil, fmt.Errorf("%w: data.cache: standard input cannot be compared with what is cached: read a file", booster.ErrParams)
		}
	}
	key := &cache.Key{Numerics: booster.NumericsVersion, Reader: dataset.ReaderVersion, Seed: p.Seed, Valid: make([]cache.Table, len(in.Valid))}
	var err error
	if key.Train, err = cache.Identify(ctx, in.Train, in.Options...); err != nil {
		return nil, err
	}
	for i, path := range in.Valid {
		if key.Valid[i], err = cache.Identify(ctx, []string{path}, in.ValidOptions...); err != nil {
			return nil, err
		}
	}
	codesAll := !p.HoldsOut(len(in.Valid)) || (p.AllRows || p.Retrain) && in.From == nil
	switch {
	case codesAll && p.LooksAtQueries(in.From, len(in.Valid)):
		key.HeldOut = "none, rows by query"
	case codesAll:
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
	key.Binning, err = cache.Settings(p.Binning)
	return key, err
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
		in.Log.Warn("the cache is rebuilt", "file", in.Cache, "reason", strings.TrimPrefix(replace.Reason(err).Error(), booster.ErrCache.Error()+": "))
		return false
	}
	if c.Schema.Written, err = dataset.Writing(in.Options...); err != nil { // the same as of the tables, by the key
		return false
	}
	in.Log.Info("using cache: the tables are not read", "file", in.Cache)
	l.Cached = true
	l.Train, l.Valid = booster.Cached(c)
	return true
}
