package registry

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"boost/internal/recordlog"
	"boost/internal/vfs"
	"boost/tensorq"
	"boost/tensorq/store"
)

// Options are what a registry needs beside its numbers.
type Options struct {
	// Clock tells the time, as time.Now does. The registry has no other.
	Clock func() time.Time
	// ReadOnly opens a registry that another process may be writing. Use is then counted for
	// this process only, and Refresh shows what the other has written.
	ReadOnly bool
	// Intact refuses, with recordlog.ErrTorn, a registry that a crash has left an unfinished record in.
	Intact bool

	fs        vfs.FS    // of the folder; nil: the operating system's
	repairing *Repaired // takes what the logs have, and says what is lost; nil: refuse damage
}

// Registry keeps models in a folder. In memory are their metadata, some 2 KB each, and forms of models,
// no more than Config.MemoryCap. Methods may be called from several goroutines; reads do not wait
// for the disk's writes.
type Registry struct {
	cfg     store.Config
	options Options
	tensors *store.Store
	log     recordlog.Reading
	writer  *recordlog.Log // nil: read-only

	// writing is held from the first look at what a change depends on until the change is made,
	// mutex only for moments, and never while the store is called, which asks limits under its own.
	writing sync.Mutex
	mutex   sync.Mutex
	closed  bool
	changed bool // by more than use, since the logs vouched for each other
	models  map[string]*entry
	needed  map[string]map[string]bool // id to those that are made of it
	orphans map[string]string          // id of a model, found when the registry was opened, to that which its rule needs and which has no file

	filesOnly []fileOnly // that a repair has found

	cache *cache
}

// entry is what is in memory of a model. It is replaced where something changes, never written to.
type entry struct {
	aboutModel
	least     int    // bits that the model may have at least, exactly for none
	origin    origin // "" as kind: there is no lossless form
	structure int64  // bytes of the skeleton, 0 while the model is absent
	pinned    store.Tier
	discard   bool // to be given up
}

// coded reports whether a model in a form is read from its codes, and not as it was added.
func (m *entry) coded(f store.Form) bool {
	return f.Tier != store.Absent && (m.origin.Kind == "" || f.Tier != store.Hot && f.Bits >= m.least)
}

// Config returns the settings of a registry: those of a store, with blocks of one tree each.
// Errors say which of them a registry of models cannot have.
func Config(c store.Config) (store.Config, error) {
	for _, b := range []int{c.HotBits, c.WarmBits, c.WarmLowBits, c.ColdBits} {
		if _, ok := forms[b]; !ok {
			return c, fmt.Errorf("leaves of %d bits: a registry keeps them in 8, 7, 5 or 3", b)
		}
	}
	if c.Quant.TwoLevelCold {
		return c, errors.New("two_level_cold: a registry keeps leaves with one scale for each block")
	}
	if c.Quant.BlockSize != tensorq.DefaultQuantConfig().BlockSize {
		return c, fmt.Errorf("block_size %d: a block of a registry is a tree's leaves, %d at most", c.Quant.BlockSize, tensorq.DefaultQuantConfig().BlockSize)
	}
	c.FailFast = true // a forest of zeros is a wrong model that answers (S3.51)
	return c, c.Validate()
}

// Open opens the registry of a folder, or makes one. Errors: Config's, ErrBusy, *DamageError,
// *RecordError.
func Open(dir string, c store.Config, options Options) (*Registry, error) {
	c, err := Config(c)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	if dir == "" {
		return nil, errors.New("registry: the name of the folder is empty: name one, or . for the current one")
	}
	if options.Clock == nil {
		return nil, errors.New("registry: Options.Clock is nil: give time.Now, or a clock of your own")
	}
	r := &Registry{cfg: c, options: options, cache: newCache(c.MemoryCap)}
	models, tensors := filepath.Join(dir, "models"), filepath.Join(dir, "tensors")
	logOptions := recordlog.Options{Kind: logKind, Intact: options.Intact, FS: options.fs}
	hasTensors, err := r.present(models, tensors, logOptions)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	if r.log, r.writer, err = recordlog.OpenFor(models, logOptions, options.ReadOnly); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	if !hasTensors { // another process may have made both since
		if hasTensors, err = recordlog.Exists(tensors, logOptions); err != nil {
			_ = r.log.Abandon()
			return nil, fmt.Errorf("registry: %w", err)
		}
	}
	if err = r.openTensors(tensors, hasTensors); err != nil {
		_ = r.log.Abandon()
		return nil, err
	}
	if r.writer != nil {
		r.writing.Lock()
		defer r.writing.Unlock()
		if options.repairing != nil {
			r.restore(options.repairing)
		}
		r.tidy()
		_ = r.settle() // what it cannot do now, a full disk for one, it does after the next sweep
	}
	return r, nil
}

// present reports whether there is a log of the tensors. One without that of the models is damage.
func (r *Registry) present(models, tensors string, o recordlog.Options) (bool, error) {
	if r.options.repairing != nil {
		return true, nil
	}
	if err := r.options.stopped(filepath.Dir(models)); err != nil {
		return false, err
	}
	hasTensors, err := recordlog.Exists(tensors, o) // at first: who makes a registry makes that of the models first
	if err != nil || !hasTensors {
		return false, err
	}
	hasModels, err := recordlog.Exists(models, o)
	if err == nil && !hasModels {
		err = &store.DamageError{File: models, What: "the log of the models is gone, and that of the tensors is there"}
	}
	return hasTensors, err
}

// openTensors opens the store of tensors and looks whether it and the models belong together.
func (r *Registry) openTensors(dir string, there bool) error {
	if !there && !r.log.Empty() {
		return fmt.Errorf("registry: %w", &store.DamageError{File: dir, What: "the log of the tensors is gone, and that of the models has records"})
	}
	c := r.cfg
	c.MemoryCap = 1 // of all that is in memory the cache keeps count
	var err error
	r.tensors, err = store.Open(dir, c, store.Options{
		Clock: r.options.Clock, ReadOnly: r.options.ReadOnly, Intact: r.options.Intact, Limits: r.limits, Source: source{r}, FS: r.options.fs,
		Rules: map[string]store.CustomRule{ruleName: {Make: r.makeLeaves}},
	})
	if err != nil {
		return err
	}
	if r.options.repairing == nil {
		err = r.agree()
	}
	if err == nil {
		err = r.load()
	}
	if err != nil {
		_ = r.tensors.Abandon()
	}
	return err
}

// agree is the damage of a log that has less than the other one knows of.
func (r *Registry) agree() error {
	ofModels, ofTensors := r.tensors.Vouched(), r.vouched()
	look := func() error {
		if err := r.log.Reaches(ofModels); err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		return r.tensors.Reaches(ofTensors)
	}
	err := look()
	if reader, ok := r.log.(*recordlog.Reader); ok && err != nil {
		// The other process may have been at work after one log was read and before the other was.
		if err := r.tensors.Refresh(); err != nil {
			return err
		}
		if _, err := reader.Refresh(); err != nil {
			return fmt.Errorf("registry: %w", err)
		}
		err = look()
	}
	return err
}

// vouched returns how far the log of the tensors was, as the models' log has it.
func (r *Registry) vouched() store.Position {
	e, _ := r.log.Lookup(recordStore, "")
	p, _ := recordlog.DecodePosition(e.Head)
	return p
}

// vouch records that, if there is room for it.
func (r *Registry) vouch() {
	if p := r.tensors.Position(); p != (store.Position{}) && p != r.vouched() {
		_, _ = r.writer.Append(recordStore, "", p.Encode(), nil)
	}
}

// load reads what the log says of models that have a tensor: the others are half added, or half removed.
// What is of two models that had one id after the other is of none.
func (r *Registry) load() error {
	models := map[string]*entry{}
	for _, e := range r.log.Entries(recordModel) {
		info, err := r.tensors.Info(e.ID)
		if err != nil {
			continue
		}
		about, err := decodeAbout(e.ID, e.Head)
		if err != nil {
			return err
		}
		if info.Sum != about.Sum {
			continue // one of the logs has lost more than the other: the codes are another model's
		}
		m := &entry{aboutModel: about, structure: e.Size}
		m.least = about.floor().least(about.Certificates)
		m.discard = info.HasRule && info.Base == ""
		models[e.ID] = m
	}
	for _, e := range r.log.Entries(recordSource) {
		m := models[e.ID]
		if m == nil {
			continue
		}
		o, err := decodeOrigin(e.ID, e.Head)
		if err != nil {
			return err
		}
		if o.SHA != m.SHA {
			delete(models, e.ID) // likewise
			continue
		}
		o.Trees, o.Outputs = nil, nil // who makes the model reads the record
		m.origin = o
		m.discard = m.discard && !m.origin.isRule()
	}
	for _, e := range r.log.Entries(recordPin) {
		m := models[e.ID]
		if m == nil {
			continue
		}
		var err error
		if m.pinned, err = decodePin(e.ID, e.Head); err != nil {
			return err
		}
	}
	r.mutex.Lock()
	r.models, r.needed = map[string]*entry{}, map[string]map[string]bool{}
	for id, m := range models {
		r.set(id, m)
	}
	r.mutex.Unlock()
	if r.options.repairing == nil { // which may bring back what rules need
		r.findOrphans()
	}
	return nil
}

// findOrphans finds the models whose rule leads to one that is gone, or has no file. They are read from their codes, as those are that
// were added without a file.
func (r *Registry) findOrphans() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.orphans = map[string]string{}
	for id := range r.models {
		if of := r.withoutFile(id); of != "" {
			r.orphans[id] = of
		}
	}
	for id := range r.orphans {
		m := *r.models[id]
		m.origin = origin{}
		r.set(id, &m)
	}
}

// withoutFile returns the model, without a file, that a model is made of by its rule and those of others; "" if there is none. The caller
// holds mutex.
func (r *Registry) withoutFile(id string) string {
	m := r.models[id]
	for range r.cfg.MaxDepth {
		if !m.origin.isRule() {
			return ""
		}
		of := m.origin.Of
		if m = r.models[of]; m == nil || m.origin.Kind == "" {
			return of
		}
	}
	return ""
}

// tidy removes what is left of models that were half added, or half removed, and tensors whose models a
// loss of power has taken. What it cannot remove does no harm.
func (r *Registry) tidy() {
	for _, kind := range []uint8{recordPin, recordModel, recordSource} {
		for _, e := range r.log.Entries(kind) {
			if r.models[e.ID] == nil {
				_ = r.writer.Remove(e.Type, e.ID)
			}
		}
	}
	for range r.cfg.MaxDepth + 1 { // those that rules refer to go after the others
		for _, id := range r.tensors.IDs() {
			if r.models[id] == nil {
				_ = r.tensors.Remove(id)
			}
		}
	}
}

// set puts an entry in place of that of the id, nil removes it. The caller holds mutex.
func (r *Registry) set(id string, m *entry) {
	if old := r.models[id]; old != nil && old.origin.isRule() {
		if delete(r.needed[old.origin.Of], id); len(r.needed[old.origin.Of]) == 0 {
			delete(r.needed, old.origin.Of)
		}
	}
	if m == nil {
		delete(r.models, id)
		r.cache.drop(id)
		return
	}
	r.models[id] = m
	if m.origin.isRule() {
		if r.needed[m.origin.Of] == nil {
			r.needed[m.origin.Of] = map[string]bool{}
		}
		r.needed[m.origin.Of][id] = true
	}
}

// change replaces the entry of a model by one that differs as do says. The caller holds writing.
func (r *Registry) change(id string, do func(*entry)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if old := r.models[id]; old != nil {
		m := *old
		do(&m)
		r.set(id, &m)
	}
}

func (r *Registry) entry(id string) (*entry, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return nil, about(id, ErrClosed)
	}
	m := r.models[id]
	if m == nil {
		return nil, about(id, ErrNotFound)
	}
	return m, nil
}

// neededBy returns the ids of models that are made of one, in order.
func (r *Registry) neededBy(id string) []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Sorted(maps.Keys(r.needed[id]))
}

// limits are what the store asks of a model's tensor.
func (r *Registry) limits(id string) store.Limits {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	m := r.models[id]
	if m == nil {
		return store.Limits{}
	}
	// Without a lossless form no codes can be made but from codes: the model stays as it was certified.
	return store.Limits{MinBits: m.least, Keep: m.pinned != store.Absent || m.origin.Kind == "" && !m.discard}
}

// writable says why nothing can be written, if so.
func (r *Registry) writable() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	switch {
	case r.closed:
		return fmt.Errorf("registry: %w", ErrClosed)
	case r.writer == nil:
		return fmt.Errorf("registry: %w", ErrReadOnly)
	}
	return nil
}

// append writes a record.
func (r *Registry) append(kind uint8, id string, head any, payload []byte) error {
	r.vouch()
	r.changed = true
	b, ok := head.([]byte)
	if !ok {
		b = encodeHead(head)
	}
	if _, err := r.writer.Append(kind, id, b, payload); err != nil {
		return about(id, err)
	}
	return nil
}

// synced waits for the disk where every change does.
func (r *Registry) synced(id string) error {
	if !r.cfg.SyncWrites {
		return nil
	}
	if err := r.writer.Sync(); err != nil {
		return &UnsyncedError{ID: id, Err: err}
	}
	return nil
}

// Sync returns when all changes, and the counts of use, are on the disk.
func (r *Registry) Sync() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	if err := r.writer.Sync(); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	return r.tensors.Sync()
}

// Compact checks both logs and writes them anew without what is no longer there. Sweep does so by itself.
func (r *Registry) Compact() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	if err := r.Verify(); err != nil {
		return err
	}
	r.changed = true
	if err := r.writer.Compact(); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	return r.tensors.Compact()
}

// Verify reads and checks the logs; a *DamageError says what is wrong. All else goes on
// meanwhile.
func (r *Registry) Verify() error {
	if err := r.log.Verify(); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	return r.tensors.Verify()
}

// Refresh shows a registry that was opened for reading what was written since.
func (r *Registry) Refresh() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	l, ok := r.log.(*recordlog.Reader)
	if !ok {
		return nil
	}
	// A tensor is written behind its model: whoever sees it finds the model too.
	if err := r.tensors.Refresh(); err != nil {
		return err
	}
	if _, err := l.Refresh(); err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	if err := r.agree(); err != nil {
		return err
	}
	return r.load()
}

// Config returns the settings that the registry was opened with.
func (r *Registry) Config() store.Config { return r.cfg }

// Close records the use of models, if there is room for it, and closes the logs, each of which then vouches for
// the other. No other call may be under way.
func (r *Registry) Close() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mutex.Lock()
	closed := r.closed
	r.closed = true
	r.cache = newCache(r.cfg.MemoryCap)
	r.mutex.Unlock()
	if closed {
		return fmt.Errorf("registry: %w", ErrClosed)
	}
	var err error
	if r.changed {
		if err = r.writer.Sync(); err != nil {
			err = fmt.Errorf("registry: %w", err)
		}
		r.tensors.Vouch(r.writer.Position())
	}
	err = errors.Join(err, r.tensors.Close())
	if r.changed {
		r.vouch()
	}
	if closing := r.log.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("registry: %w", closing))
	}
	return err
}

// IDs returns the ids of all models in order.
func (r *Registry) IDs() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Sorted(maps.Keys(r.models))
}
