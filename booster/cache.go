package booster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/replace"
	"boost/objectives"
	"boost/parallel"
)

// cacheKey is all that the contents of a cache follow from. A cache is used only where
// its key equals the one of the run.
type cacheKey struct {
	Numerics int                        `json:"numerics"`
	Reader   int                        `json:"reader"` // dataset.ReaderVersion
	Options  string                     `json:"options"`
	Train    []cacheFile                `json:"train"`
	Valid    []cacheTable               `json:"valid"`
	Binning  map[string]json.RawMessage `json:"binning"`
	Seed     uint64                     `json:"seed"`
	Cuts     cacheFile                  `json:"cuts"`           // file of forced cuts
	HeldOut  string                     `json:"held_out"`       // objective by which rows are held out; "" for none
	Base     string                     `json:"base,omitempty"` // sha256 of the model that training goes on from
}

type cacheTable struct {
	Options string      `json:"options"`
	Files   []cacheFile `json:"files"`
}

// cacheFile identifies the contents of a file.
type cacheFile struct {
	Name   string `json:"name"` // without its folder
	Size   int64  `json:"size"`
	Time   int64  `json:"time"` // of the last change, ns since 1970
	SHA256 string `json:"sha256"`
}

// identify reads files to tell what is in them.
func identify(ctx context.Context, paths []string, opts ...dataset.Option) ([]cacheFile, error) {
	names, err := dataset.Files(paths, opts...)
	if err != nil {
		return nil, err
	}
	files := make([]cacheFile, len(names))
	for i, name := range names {
		if files[i], err = identifyFile(ctx, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func identifyFile(ctx context.Context, name string) (cacheFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return cacheFile{}, fmt.Errorf("%w: %s cannot be read: %w", dataset.ErrTable, name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return cacheFile{}, fmt.Errorf("%w: %s cannot be read: %w", dataset.ErrTable, name, err)
	}
	sum, page := sha256.New(), make([]byte, cachePage)
	for {
		n, err := f.Read(page)
		sum.Write(page[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return cacheFile{}, fmt.Errorf("%w: %s cannot be read: %w", dataset.ErrTable, name, err)
		}
		if ctx.Err() != nil {
			return cacheFile{}, ctx.Err()
		}
	}
	return cacheFile{filepath.Base(name), info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(sum.Sum(nil))}, nil
}

// unchanged reports whether the files still have the sizes and times that were seen.
func unchanged(files []cacheFile, paths []string, opts ...dataset.Option) bool {
	names, err := dataset.Files(paths, opts...)
	if err != nil || len(names) != len(files) {
		return false
	}
	for i, name := range names {
		info, err := os.Stat(name)
		if err != nil || filepath.Base(name) != files[i].Name || info.Size() != files[i].Size || info.ModTime().UnixNano() != files[i].Time {
			return false
		}
	}
	return true
}

// binningKey returns the parameters that codes follow from: cells are left out for
// binning.bundle_conflicts when a matrix is made of codes.
func binningKey(p binning.Params) (map[string]json.RawMessage, error) {
	said := map[string]json.RawMessage{}
	for _, s := range binning.Settings(&p) {
		if s.Run && s.Name != "binning.storage" || s.Name == "binning.bundle_conflicts" {
			continue
		}
		text, err := json.Marshal(s.Value)
		if err != nil {
			return nil, err
		}
		said[s.Name] = text
	}
	return said, nil
}

// differs says why a cache with key k does not serve a run with key want, "" if it does.
func (k *cacheKey) differs(want *cacheKey) string {
	switch {
	case k.Numerics != want.Numerics || k.Reader != want.Reader:
		return "another version of the program wrote it"
	case k.Options != want.Options:
		return "the table was read with other settings"
	case k.Seed != want.Seed:
		return fmt.Sprintf("train.seed was %d and is %d", k.Seed, want.Seed)
	case k.Cuts.SHA256 != want.Cuts.SHA256:
		return "the file of forced cuts is another"
	case k.Base != want.Base:
		return "it was written for training from another model, or from none"
	case k.HeldOut != want.HeldOut:
		return "other rows are held out for early stopping"
	case len(k.Valid) != len(want.Valid):
		return fmt.Sprintf("there were %d validation sets and there are %d", len(k.Valid), len(want.Valid))
	}
	for _, key := range sortedKeys(want.Binning) {
		if had := k.Binning[key]; string(had) != string(want.Binning[key]) {
			return fmt.Sprintf("%s was %s and is %s", key, had, want.Binning[key])
		}
	}
	if len(k.Binning) != len(want.Binning) {
		return "another version of the program wrote it"
	}
	if reason := filesDiffer(k.Train, want.Train); reason != "" {
		return reason
	}
	for i := range want.Valid {
		if k.Valid[i].Options != want.Valid[i].Options {
			return "a validation set was read with other settings"
		}
		if reason := filesDiffer(k.Valid[i].Files, want.Valid[i].Files); reason != "" {
			return reason
		}
	}
	return ""
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// filesDiffer compares contents; a file that has another time only is the same.
func filesDiffer(had, has []cacheFile) string {
	if len(had) != len(has) {
		return fmt.Sprintf("%d files were read, with those beside the tables, and %d are%s", len(had), len(has), firstOther(had, has))
	}
	for i := range has {
		switch {
		case had[i].Name != has[i].Name:
			return fmt.Sprintf("%s was read in place of %s", had[i].Name, has[i].Name)
		case had[i].Size != has[i].Size:
			return fmt.Sprintf("%s had %d bytes and has %d", has[i].Name, had[i].Size, has[i].Size)
		case had[i].SHA256 != has[i].SHA256:
			return fmt.Sprintf("the contents of %s have changed", has[i].Name)
		}
	}
	return ""
}

// firstOther names a file that one list has and the other has not, "" without one.
func firstOther(had, has []cacheFile) string {
	for _, list := range []struct {
		files, other []cacheFile
		says         string
	}{{has, had, "is new"}, {had, has, "is gone"}} {
		for _, f := range list.files {
			if !slices.ContainsFunc(list.other, func(o cacheFile) bool { return o.Name == f.Name }) {
				return ": " + f.Name + " " + list.says
			}
		}
	}
	return ""
}

// cacheManifest is the section that says what the others are.
type cacheManifest struct {
	Key   cacheKey   `json:"key"`
	Print string     `json:"fingerprint"`
	Notes []string   `json:"notes"` // of finding the cuts
	Sets  []cacheSet `json:"sets"`
}

// cacheSet is a set of rows with codes. The training rows come first; their Rows and
// those of the set held out are rows of the whole training table.
type cacheSet struct {
	Print string          `json:"fingerprint,omitempty"` // of a validation set
	Part  bool            `json:"part,omitempty"`        // the set has a section of rows
	Codes json.RawMessage `json:"codes"`
}

// cacheTask is where a training run leaves what a cache needs.
type cacheTask struct {
	path    string
	key     *cacheKey
	fresh   func() bool // the files are still those of the key
	storage string

	writer *cacheWriter
	sets   []cacheSet
	err    error
}

// keep writes the codes of a set. What goes wrong is said when the cache is finished.
func (c *cacheTask) keep(s source, codes *binning.Codes) {
	head, pieces, err := codes.Encode(c.storage)
	if err != nil {
		c.err = errors.Join(c.err, err)
		return
	}
	set := cacheSet{Codes: head}
	n := len(c.sets)
	c.writer.section(fmt.Sprintf("%d.codes", n), pieces...)
	if rows := s.part(); rows != nil {
		set.Part = true
		c.writer.section(fmt.Sprintf("%d.rows", n), rowBytes(rows))
	} else if n > 0 {
		head, values := s.rest().Pack()
		c.writer.section(fmt.Sprintf("%d.rest", n), head)
		c.writer.section(fmt.Sprintf("%d.values", n), values)
	}
	c.sets = append(c.sets, set)
}

func rowBytes(rows []int32) []byte {
	b := make([]byte, 0, 4*len(rows))
	for _, row := range rows {
		b = binary.LittleEndian.AppendUint32(b, uint32(row))
	}
	return b
}

// finish writes what is known after all sets are coded.
func (c *cacheTask) finish(t *trainer, whole source, notes []string) error {
	if c.err != nil {
		return c.err
	}
	if !c.fresh() {
		return errors.New("its files have changed since training began")
	}
	for i, print := range t.validPrints {
		c.sets[i+1].Print = print
	}
	head, values := whole.rest().Pack()
	c.writer.section("rest", head)
	c.writer.section("values", values)
	shell, err := shellOf(t)
	if err != nil {
		return err
	}
	c.writer.section("shell", shell)
	manifest, err := json.Marshal(cacheManifest{Key: *c.key, Print: t.fingerprint, Notes: notes, Sets: c.sets})
	if err != nil {
		return err
	}
	c.writer.section("manifest", manifest)
	return c.writer.finish()
}

// shellOf returns a model without trees: schema, dictionaries and cuts in a form that
// is checked when it is read.
func shellOf(t *trainer) ([]byte, error) {
	m, err := model.New(model.Contents{
		Objective: "regression", Link: objectives.Identity, Outputs: 1, BaseScore: []float64{0},
		Params: json.RawMessage("{}"), Schema: t.schema, Cuts: t.cuts, Fingerprint: t.fingerprint, NumericsVersion: NumericsVersion,
	})
	if err != nil {
		return nil, err
	}
	return m.Encode()
}

// binInto runs bin while the cache is written. A cache that cannot be written does not
// stop training.
func (t *trainer) binInto(ctx context.Context, train, whole source, given []validSet) error {
	if t.cache == nil {
		return t.bin(ctx, train, whole, given)
	}
	var binErr error
	begun := false
	err := replace.File(t.cache.path, func(f *os.File) error {
		begun = true
		t.cache.writer = newCacheWriter(f)
		if binErr = t.bin(ctx, train, whole, given); binErr != nil {
			return binErr
		}
		return t.cache.finish(t, whole, t.cutNotes)
	})
	switch {
	case binErr != nil:
		return binErr
	case !begun:
		t.cache = nil
		t.log.Warn("the cache cannot be written", "reason", err.Error())
		return t.bin(ctx, train, whole, given)
	case err != nil:
		t.log.Warn("the cache cannot be written", "reason", err.Error())
	default:
		t.log.Info("cache written", "file", t.cache.path)
	}
	return nil
}

// cached is an opened cache that serves a run.
type cached struct {
	reader   *cacheReader
	manifest cacheManifest
	shell    *model.Model
	whole    *cachedSource
	valid    []*cachedSource
}

// openCache reads a cache whole and checks all of it. An error that
// wraps fs.ErrNotExist says that there is none; another says in words why it cannot
// be used.
func openCache(path string, want *cacheKey) (*cached, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, errNoRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readCache(f, want)
}

var errNoRegular = fmt.Errorf("%w: it is no regular file", ErrCache)

func readCache(f *os.File, want *cacheKey) (*cached, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoRegular
	}
	r, err := newCacheReader(f, uint64(info.Size()))
	if err != nil {
		return nil, err
	}
	return decodeCache(r, want)
}

// decodeCache checks every section and makes the tables beside the codes. A want of
// nil takes any key.
func decodeCache(r *cacheReader, want *cacheKey) (*cached, error) {
	c := &cached{reader: r}
	text, err := r.bytes("manifest")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &c.manifest); err != nil {
		return nil, damaged("%v", err)
	}
	if want != nil {
		if reason := c.manifest.Key.differs(want); reason != "" {
			return nil, fmt.Errorf("%w: it is out of date: %s", ErrCache, reason)
		}
	}
	shell, err := r.bytes("shell")
	if err != nil {
		return nil, err
	}
	if c.shell, err = model.Decode(shell); err != nil {
		return nil, damaged("%v", err)
	}
	if len(c.manifest.Sets) == 0 {
		return nil, damaged("it holds no set")
	}
	return c, c.makeSources()
}

func (c *cached) makeSources() error {
	rest, err := c.table("rest", "values")
	if err != nil {
		return err
	}
	c.whole = &cachedSource{of: c, table: rest, print: c.manifest.Print}
	for i, set := range c.manifest.Sets {
		s := &cachedSource{of: c, print: set.Print}
		n := 0
		switch {
		case set.Part:
			if s.rows, err = c.rows(i, rest.NumRows()); err != nil {
				return err
			}
			c.whole.parts, n = append(c.whole.parts, s), len(s.rows)
		case i == 0:
			s, n = c.whole, rest.NumRows()
		default:
			if s.table, err = c.table(fmt.Sprintf("%d.rest", i), fmt.Sprintf("%d.values", i)); err != nil {
				return err
			}
			c.valid, n = append(c.valid, s), s.table.NumRows()
		}
		if s.codes, err = c.codes(i, n); err != nil {
			return err
		}
	}
	return nil
}

// codes reads the codes of a set of n rows.
func (c *cached) codes(set, n int) (*binning.Codes, error) {
	e, err := c.reader.entry(fmt.Sprintf("%d.codes", set))
	if err != nil {
		return nil, err
	}
	codes, err := binning.DecodeCodes(c.shell.Contents().Cuts, c.manifest.Sets[set].Codes, e.Length, c.reader.stream(e))
	switch {
	case errors.Is(err, ErrCache):
		return nil, err
	case err != nil:
		return nil, damaged("%v", err)
	case codes.NRows() != n:
		return nil, damaged("%d rows of codes for %d rows", codes.NRows(), n)
	}
	return codes, nil
}

func (c *cached) table(head, values string) (*dataset.Table, error) {
	h, err := c.reader.bytes(head)
	if err != nil {
		return nil, err
	}
	v, err := c.reader.bytes(values)
	if err != nil {
		return nil, err
	}
	table, err := dataset.Unpack(h, v)
	if err != nil {
		return nil, damaged("%v", err)
	}
	return table, nil
}

func (c *cached) rows(set, n int) ([]int32, error) {
	b, err := c.reader.bytes(fmt.Sprintf("%d.rows", set))
	if err != nil {
		return nil, err
	}
	rows, last := make([]int32, len(b)/4), int32(-1)
	for i := range rows {
		rows[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		if rows[i] <= last || int(rows[i]) >= n {
			return nil, damaged("the rows of set %d do not ascend", set)
		}
		last = rows[i]
	}
	return rows, nil
}

// cachedSource is a set of rows whose codes are in a cache.
type cachedSource struct {
	of    *cached
	table *dataset.Table
	codes *binning.Codes
	print string
	rows  []int32 // of a part
	parts []*cachedSource
	err   error // the part that was asked for is not there
}

func (s *cachedSource) rest() *dataset.Table { return s.table }

func (s *cachedSource) schema() dataset.Schema { return s.of.shell.Schema() }

func (s *cachedSource) fingerprint(*parallel.Pool) string { return s.print }

// as returns the set as it is: it was written with the schema of its training table.
func (s *cachedSource) as(dataset.Schema) (source, error) { return s, nil }

func (s *cachedSource) part() []int32 { return s.rows }

func (s *cachedSource) take(rows []int32) source {
	for _, part := range s.parts {
		if slices.Equal(part.rows, rows) {
			part.table = s.table.Take(rows)
			return part
		}
	}
	return &cachedSource{of: s.of, table: s.table.Take(rows),
		err: fmt.Errorf("%w: it holds other rows than this run trains on", ErrCache)}
}

func (s *cachedSource) fit(context.Context, []float64, binning.Params, uint64, *parallel.Pool) (*binning.Cuts, []string, error) {
	return s.of.shell.Contents().Cuts, s.of.manifest.Notes, s.err
}

func (s *cachedSource) extend(context.Context, *binning.Cuts, binning.Params) (*binning.Cuts, []string, error) {
	return s.of.shell.Contents().Cuts, s.of.manifest.Notes, s.err
}

func (s *cachedSource) code(context.Context, *binning.Cuts, binning.Params, *parallel.Pool) (*binning.Codes, error) {
	codes := s.codes
	s.codes = nil // a matrix may take over their memory
	if codes == nil && s.err == nil {
		return nil, fmt.Errorf("%w: it holds no codes of these rows", ErrCache)
	}
	return codes, s.err
}
