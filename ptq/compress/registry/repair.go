package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boost/booster/model"
	"boost/internal/recordlog"
	"boost/internal/replace"
	"boost/internal/vfs"
	"boost/tensorq/store"
)

// Repaired says what Repair did.
type Repaired struct {
	Damage error                 // what was wrong; nil: nothing, and nothing was done
	Logs   []*recordlog.Repaired // of the models and of the tensors
	Made   []Remark              // models that were made again, from their files or by their rules
	Lost   []Remark              // what is lost of models, or that they are
}

// Remark is about a model.
type Remark struct {
	ID, Text string
}

// Repair salvages a damaged registry: see recordlog.Repair. A model whose tensor is lost is made again from its
// file, or by its rule, hot and as if never used before; one of which only the file is left is added anew, and as its
// floor is lost, it is kept as it is. Both logs are written anew, and their old files kept. A registry without damage
// stays as it is. Errors: Config's, ErrBusy, those of
// files; then it can be called again.
func Repair(ctx context.Context, dir string, c store.Config, options Options) (*Repaired, error) {
	options.ReadOnly, options.Intact = false, false
	out := &Repaired{Damage: verify(dir, c, options)}
	if out.Damage == nil || !errors.As(out.Damage, new(*store.DamageError)) {
		return out, out.Damage
	}
	if err := options.begin(dir); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	models, err := recordlog.Repair(filepath.Join(dir, "models"), recordlog.Options{Kind: logKind, FS: options.fs}, true)
	if errors.Is(err, vfs.ErrBusy) { // nothing was done
		err = errors.Join(err, options.finish(dir))
	}
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	tensors, err := store.Repair(filepath.Join(dir, "tensors"), store.Options{FS: options.fs}, true)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	out.Logs = []*recordlog.Repaired{models, tensors}
	options.repairing = out
	r, err := Open(dir, c, options)
	if err != nil {
		return nil, err
	}
	for _, e := range r.filesOnly {
		if err := r.Add(ctx, e.id, e.full, AddOptions{Floor: &Floor{}}); err != nil {
			out.Lost = append(out.Lost, Remark{e.id, err.Error()})
			continue
		}
		out.Made = append(out.Made, Remark{e.id, "only its file was left: added again, with a floor of no change at all"})
	}
	r.findOrphans()
	out.account(r, slices.Concat(models.Gone, tensors.Gone))
	r.changed = true
	if err := r.Close(); err != nil {
		return out, err
	}
	return out, options.finish(dir)
}

// unfinished is a file that is in the folder while a repair is at work. Both logs are whole before models have
// their tensors again: a registry whose repair was stopped there is damaged although neither log is.
const unfinished = "repairing"

func (o *Options) files() vfs.FS {
	if o.fs == nil {
		return vfs.OS
	}
	return o.fs
}

// begin puts that file on the disk.
func (o *Options) begin(dir string) error {
	name := filepath.Join(dir, unfinished)
	f, err := o.files().OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close(), o.files().SyncDir(dir))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, replace.Reason(err))
	}
	return nil
}

// finish takes it away.
func (o *Options) finish(dir string) error {
	name := filepath.Join(dir, unfinished)
	if err := errors.Join(o.files().Remove(name), o.files().SyncDir(dir)); err != nil {
		return fmt.Errorf("%s: %w", name, replace.Reason(err))
	}
	return nil
}

// stopped is the damage of a registry whose repair did not end.
func (o *Options) stopped(dir string) error {
	name := filepath.Join(dir, unfinished)
	_, err := o.files().Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", name, replace.Reason(err))
	}
	return &store.DamageError{File: name, What: "a repair has begun and did not end"}
}

// account says what is lost of models, the records that are gone among it.
func (out *Repaired) account(r *Registry, gone []recordlog.Entry) {
	for _, e := range gone {
		m, err := r.entry(e.ID)
		switch {
		case e.ID == "":
		case err != nil:
			out.lose(e.ID, "")
		case len(e.Head) > 0 && e.Type == recordSource && m.origin.Kind == "":
			out.lose(e.ID, "its file is lost: it stays in the bits that it has")
		}
	}
	for _, id := range r.IDs() {
		if of := r.orphans[id]; of != "" {
			kept := "it stays in the bits that it has"
			if info, err := r.tensors.Info(id); err == nil && info.Tier == store.Absent {
				kept = "it was in none, and is lost"
			}
			out.lose(id, fmt.Sprintf("its rule needs %q, whose file is lost: %s", of, kept))
		}
	}
}

// lose remarks on a model once.
func (out *Repaired) lose(id, text string) {
	if id != "" && !slices.ContainsFunc(out.Lost, func(l Remark) bool { return l.ID == id && (text == "" || l.Text == text) }) {
		out.Lost = append(out.Lost, Remark{id, text})
	}
}

// verify reads all of a registry, without its being changed.
func verify(dir string, c store.Config, options Options) error {
	options.ReadOnly = true
	r, err := Open(dir, c, options)
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(), r.Close())
}

// fileOnly is a model of which only the lossless form is left.
type fileOnly struct {
	id   string
	full *model.Model
}

// restore makes tensors again that are lost, and finds the models of which only the lossless form is left. The
// caller holds writing.
func (r *Registry) restore(out *Repaired) {
	set := func(id string, m *entry) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.set(id, m)
	}
	var bare []string
	for _, kind := range []uint8{recordModel, recordSource} {
		for _, e := range r.log.Entries(kind) {
			if r.models[e.ID] != nil {
				continue
			}
			m, err := r.loose(e.ID)
			if err != nil {
				out.lose(e.ID, err.Error())
				continue
			}
			set(e.ID, m)
			bare = append(bare, e.ID)
		}
	}
	for _, id := range bare {
		full, err := r.lossless(id)
		named := r.models[id].Outputs > 0
		if err == nil && named {
			err = r.remake(id, full)
		}
		switch {
		case err != nil:
			out.lose(id, err.Error())
		case named:
			out.Made = append(out.Made, Remark{id, "its tensor was lost: made again, hot"})
		default:
			r.filesOnly = append(r.filesOnly, fileOnly{id, full})
		}
		if err != nil || !named {
			defer set(id, nil) // others may be made of it
		}
	}
	for _, id := range r.tensors.IDs() {
		if r.models[id] == nil {
			out.lose(id, "")
		}
	}
}

// loose is the entry of a model that has no tensor; without outputs if there is no record of it but its source.
func (r *Registry) loose(id string) (*entry, error) {
	m := &entry{}
	var err error
	e, named := r.log.Lookup(recordModel, id)
	if named {
		if m.aboutModel, err = decodeAbout(id, e.Head); err != nil {
			return nil, err
		}
		m.structure = e.Size
		m.least = m.floor().least(m.Certificates)
	}
	if e, ok := r.log.Lookup(recordSource, id); ok {
		if m.origin, err = decodeOrigin(id, e.Head); err != nil {
			return nil, err
		}
	}
	if !named {
		m.SHA = m.origin.SHA
	}
	if m.SHA != m.origin.SHA {
		return nil, ErrNoSource
	}
	if e, ok := r.log.Lookup(recordPin, id); ok {
		m.pinned, err = decodePin(id, e.Head)
	}
	return m, err
}

// remake puts the tensor of a model.
func (r *Registry) remake(id string, full *model.Model) error {
	narrow, err := full.Narrowed(model.KnownNames)
	if err != nil {
		return err
	}
	counts := leafCounts(narrow)
	block := blockSize(counts)
	values := make([]float32, tensorLength(counts, block))
	spread(narrow.Leaves(), counts, block, values)
	err = r.tensors.Put(id, []int{len(values)}, values, store.PutOptions{Tier: store.Hot, BlockSize: block})
	if unsynced := (*UnsyncedError)(nil); errors.As(err, &unsynced) {
		return nil
	}
	return err
}
