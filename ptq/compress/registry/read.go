package registry

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/recordlog"
	"boost/tensorq/store"
)

// Predictor is what predicts: a *model.Model, or a *model.Compact, to the same bits.
type Predictor interface {
	Predict(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictRaw(context.Context, *dataset.Table, ...model.Option) ([]float64, error)
	PredictClass(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
	PredictLeaf(context.Context, *dataset.Table, ...model.Option) ([]int32, error)
	Unseen(*dataset.Table) ([]model.Unseen, error)
	Schema() dataset.Schema
	Classes() []string
	Outputs() int
	Rounds() int
}

// Reading is a model as the registry has it.
type Reading struct {
	ID string
	// Model predicts what the form that the model is in predicts: a *model.Model as it was
	// added, or a *model.Compact, whose trees stay packed. It is shared with other readings.
	Model Predictor
	// Exact reports whether it predicts what the model predicts that was added.
	Exact bool
	Tier  store.Tier
	Bits  int // of a leaf; 0 if Exact
	// Bound is for each output what the leaves of this form change a sum of real numbers by at most, and
	// Scores what they change a raw score by that starts from the base score, as it is computed: 0 if Exact.
	Bound, Scores []float64
	// Certificate is the one that the manifest of the form has, as JSON; nil: none.
	Certificate json.RawMessage

	data []byte // of a compact
}

// Expand returns Model with all trees at hand. The model belongs to the caller if it was not.
func (r *Reading) Expand() (*model.Model, error) {
	if m, ok := r.Model.(*model.Model); ok {
		return m, nil
	}
	m, err := model.Decode(r.data)
	if err != nil {
		return nil, about(r.ID, err)
	}
	return m, nil
}

// patience is how often a read begins anew while the model is moved.
const patience = 8

// Get returns a model in the form that it is in now: hot and absent ones exactly as they were added,
// and so those whose floor allows no tier; warm and cold ones with the leaves of their codes. It counts as
// a use. What a caller keeps of it does not count under the cap once the registry has let go of it. Errors: ErrNotFound,
// ErrTierZeroNoPolicy with the id for a model that was discarded, ErrReconstructionDepth, ErrChanged, *DamageError.
func (r *Registry) Get(id string) (*Reading, error) {
	f, err := r.tensors.Touch(id)
	for range patience {
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, about(id, ErrNotFound)
		case err != nil && !errors.Is(err, store.ErrAbsent):
			return nil, err
		}
		var m *entry
		if m, err = r.entry(id); err != nil {
			return nil, err
		}
		var reading *Reading
		if reading, err = r.read(id, m, f); !errors.Is(err, ErrChanged) {
			return reading, err
		}
		r.waitForChange()
		_, f, err = r.tensors.Codes(id)
	}
	return nil, about(id, ErrChanged)
}

// Touch counts a use of a model without reading it. Errors: ErrNotFound, ErrClosed.
func (r *Registry) Touch(id string) error {
	_, err := r.tensors.Touch(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return about(id, ErrNotFound)
	case errors.Is(err, store.ErrAbsent):
		return nil
	}
	return err
}

// waitForChange waits until a change that is under way is done.
func (r *Registry) waitForChange() {
	r.writing.Lock()
	//lint:ignore SA2001 there is nothing to do but to wait
	r.writing.Unlock()
}

// read makes a reading of a model in a form; ErrChanged means that it is in another by now.
func (r *Registry) read(id string, m *entry, f store.Form) (*Reading, error) {
	if f.Tier == store.Absent && m.discard {
		return nil, about(id, ErrTierZeroNoPolicy)
	}
	if m.coded(f) {
		return r.readCodes(id, m, f)
	}
	f = store.Form{Tier: f.Tier}
	v := version{sha: m.SHA}
	if hit := r.hit(id, v); hit != nil {
		return r.reading(id, m, f, hit)
	}
	full, err := r.lossless(id)
	if now, _ := r.entry(id); errors.Is(err, ErrNoSource) && now != m {
		return nil, about(id, ErrChanged)
	}
	if err != nil {
		return nil, err
	}
	if m.Compressed {
		data, err := full.Encode()
		if err != nil {
			return nil, about(id, err)
		}
		return r.reading(id, m, f, &form{id: id, version: v, data: data, certificate: full.Compressed().Certificate})
	}
	if full, err = full.Narrowed(model.KnownNames); err != nil {
		return nil, about(id, err)
	}
	kept := &form{id: id, version: v, full: full}
	r.keep(id, m, kept, m.Expanded)
	return r.reading(id, m, f, kept)
}

// readCodes makes a reading of a model in the form of its tier.
func (r *Registry) readCodes(id string, m *entry, f store.Form) (*Reading, error) {
	if hit := r.hit(id, version{m.SHA, f.Version + 1}); hit != nil {
		return r.reading(id, m, f, hit)
	}
	codes, f, err := r.tensors.Codes(id)
	switch {
	case errors.Is(err, store.ErrAbsent), errors.Is(err, store.ErrNotFound), err == nil && !m.coded(f):
		return nil, about(id, ErrChanged)
	case err != nil:
		return nil, err
	}
	structure, record, err := r.log.Read(recordModel, id, nil)
	if errors.Is(err, recordlog.ErrNotFound) {
		return nil, about(id, ErrChanged)
	}
	if err != nil {
		return nil, about(id, err)
	}
	now, err := decodeAbout(id, record.Head)
	switch {
	case err != nil:
		return nil, err
	case now.SHA != m.SHA: // the model was removed, and another added
		return nil, about(id, ErrChanged)
	}
	if len(structure) == 0 { // it was absent a moment ago
		if structure, err = r.makeStructure(id, m); errors.Is(err, ErrNoSource) {
			return nil, about(id, ErrChanged)
		}
		if err != nil {
			return nil, err
		}
	}
	small, err := dress(structure, codes, &m.aboutModel)
	if err != nil {
		return nil, about(id, err)
	}
	data, err := small.Encode()
	if err != nil {
		return nil, about(id, err)
	}
	return r.reading(id, m, f, &form{id: id, version: version{m.SHA, f.Version + 1}, data: data, certificate: small.Compressed().Certificate})
}

// reading is that of a model in a form, which is opened if it has to be, and kept.
func (r *Registry) reading(id string, m *entry, f store.Form, as *form) (*Reading, error) {
	out := &Reading{ID: id, Exact: f.Bits == 0, Tier: f.Tier, Bits: f.Bits, Certificate: as.certificate, data: as.data}
	switch c := m.certificate(f.Bits); {
	case out.Exact:
		out.Bound, out.Scores = make([]float64, m.Outputs), make([]float64, m.Outputs)
	case c != nil:
		out.Bound, out.Scores = slices.Clone(c.Bound), slices.Clone(c.Scores)
	}
	if as.full != nil {
		out.Model = as.full
		return out, nil
	}
	if as.compact == nil {
		compact, err := model.DecodeCompact(as.data)
		if err != nil {
			return nil, about(id, err)
		}
		opened := *as
		opened.compact = compact
		r.keep(id, m, &opened, int64(len(as.data))+compact.Memory()*9/8) // what the allocator rounds up
		as = &opened
	}
	out.Model = as.compact
	return out, nil
}

func (r *Registry) hit(id string, v version) *form {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.cache.get(id, v)
}

// keep takes a form into memory, of which it takes so many bytes, if the model is still there.
func (r *Registry) keep(id string, m *entry, f *form, size int64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if now := r.models[id]; now != nil && now.SHA == m.SHA && !r.closed {
		f.pinned = now.pinned != store.Absent
		r.cache.put(f, size)
	}
}

// Predict returns the predictions of a model, in the form that it is in, for a table: see Get and
// model.Model.Predict.
func (r *Registry) Predict(ctx context.Context, id string, t *dataset.Table, opts ...model.Option) ([]float64, error) {
	reading, err := r.Get(id)
	if err != nil {
		return nil, err
	}
	return reading.Model.Predict(ctx, t, opts...)
}

// Full returns a model as it was added, the same bytes. It is no use. Errors: ErrNotFound, ErrNoSource,
// ErrTierZeroNoPolicy, ErrReconstructionDepth, *DamageError.
func (r *Registry) Full(id string) (*model.Model, error) {
	m, err := r.entry(id)
	if err != nil {
		return nil, err
	}
	if m.discard && m.origin.Kind == "" {
		return nil, about(id, ErrTierZeroNoPolicy)
	}
	return r.lossless(id)
}

// Info is what is known of a model. It is flat because callers print each field beside the others.
type Info struct {
	ID                             string
	SHA256                         string
	Rounds, Outputs, Trees, Leaves int
	FileBytes                      int64 // of the model as it was added
	Compressed                     bool  // it was added in few bits

	Tier       store.Tier
	Bits       int  // of the tensor's codes; 0 if absent
	Exact      bool // it is read as it was added
	Pinned     bool
	Score      uint64
	Accesses   uint64
	Created    time.Time
	LastAccess time.Time

	Floor        Floor
	Certificates []Certificate // by bits, descending
	MinBits      int           // the fewest that the floor allows; 9: none
	// Delta is what its form changes a raw score by at most, 0 if Exact.
	Delta float64

	// Source is where its lossless form comes from: file, a rule (prefix, append, leaves,
	// scale, permutation, projection), or nothing. Of is the model that the rule names.
	Source string
	Of     string
	// Discard reports whether it goes for good when it is not used any more.
	Discard bool
	Stored  int64 // bytes of its records on the disk
	Memory  int64 // bytes in memory, as the cap counts them
}

// Info returns what is known of a model. It is no use. Errors: ErrNotFound.
func (r *Registry) Info(id string) (Info, error) {
	m, err := r.entry(id)
	if err != nil {
		return Info{}, err
	}
	t, err := r.tensors.Info(id)
	if errors.Is(err, store.ErrNotFound) {
		return Info{}, about(id, ErrNotFound)
	}
	if err != nil {
		return Info{}, err
	}
	f := store.Form{Tier: t.Tier, Bits: t.Bits}
	info := Info{
		ID: id, SHA256: m.SHA, Rounds: m.Rounds, Outputs: m.Outputs, Trees: m.Trees, Leaves: m.Leaves,
		FileBytes: m.FileBytes, Compressed: m.Compressed,
		Tier: t.Tier, Bits: t.Bits, Exact: !m.coded(f) && !(m.discard && t.Tier == store.Absent), Pinned: m.pinned != store.Absent,
		Score: t.Score, Accesses: t.Accesses, Created: t.Created, LastAccess: t.LastAccess,
		Floor: m.floor(), Certificates: m.Certificates, MinBits: m.least,
		Source: m.origin.Kind, Of: m.origin.Of, Discard: m.discard, Stored: t.Bytes,
	}
	if m.coded(f) {
		if c := m.certificate(t.Bits); c != nil {
			info.Delta = c.Delta()
		} else {
			info.Delta = math.Inf(1)
		}
	}
	for _, kind := range []uint8{recordModel, recordSource} {
		if e, ok := r.log.Lookup(kind, id); ok {
			info.Stored += e.Size + int64(len(e.Head))
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	_, info.Memory = r.cache.of(id)
	return info, nil
}

// List returns what is known of all models, by id.
func (r *Registry) List() ([]Info, error) {
	var all []Info
	for _, id := range r.IDs() {
		info, err := r.Info(id)
		if errors.Is(err, ErrNotFound) {
			continue // it went meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	return all, nil
}
