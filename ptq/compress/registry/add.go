package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"boost/booster/model"
	"boost/dataset"
	"boost/ptq/compress"
	"boost/tensorq/store"
)

// AddOptions says how a model is added. The zero value keeps it as it is, hot, without a floor.
type AddOptions struct {
	// Tier is where the model starts; Absent stands for Hot.
	Tier store.Tier
	// Floor is how much worse it may become; nil: a model with a certificate stays as it is certified, any
	// other may become as bad as the lowest tier is.
	Floor *Floor
	// Table measures what each tier does to the metric, nil: that is not known. A floor with a
	// MaxLoss needs it.
	Table *dataset.Table
	// AllowTrainingData lets Table be the rows that the model was trained on, which say little of others.
	AllowTrainingData bool
	// Rule makes the model of another one, so that its file is not kept.
	Rule Rule
	// DropSource keeps no lossless form: the model stays in its tier, and cannot be had back as it was.
	DropSource bool
	// Options are how the work over Table is done.
	Options []compress.Option
}

// maxID is the longest id in bytes.
const maxID = 200

// CheckID says what is wrong with an id, if anything: it has 1 to 200 bytes of UTF-8, no control
// characters and no #.
func CheckID(id string) error {
	if id == "" || len(id) > maxID || !utf8.ValidString(id) {
		return fmt.Errorf("model %q: an id has 1 to %d bytes of UTF-8", id, maxID)
	}
	for _, c := range id {
		if unicode.IsControl(c) || c == '#' {
			return fmt.Errorf("model %q: an id has neither control characters nor a #", id)
		}
	}
	return nil
}

// draft is a model on its way into the registry.
type draft struct {
	entry
	structure []byte
	payload   []byte // of the source
	values    []float32
	block     int
	tier      store.Tier
}

// Add puts a model into the registry. It counts as a use. Errors: ErrExists; *FloorError for a tier
// that its floor forbids; ErrRule for a rule that does not make it, with those of SetRule; those of
// compress.Tensor.Morph for leaves beyond float32, and of compress.Compare for a table that does not
// fit; compress.ErrTrainingData for a floor of the metric on rows that the model was trained on; *UnsyncedError, ErrBroken.
func (r *Registry) Add(ctx context.Context, id string, m *model.Model, o AddOptions) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := r.writable(); err != nil {
		return err
	}
	if r.exists(id) {
		return about(id, ErrExists)
	}
	d, err := r.draft(ctx, id, m, o)
	if err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	if r.exists(id) {
		return about(id, ErrExists)
	}
	if err := r.draftSource(id, m, o, d); err != nil {
		return err
	}
	return r.commit(id, d)
}

func (r *Registry) exists(id string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.models[id] != nil
}

// errLinear is why models with linear leaves are refused.
var errLinear = errors.New("the model has linear leaves (tree.linear), whose scores have no bounds, and a registry keeps bounds of what its tiers change: keep the model's file instead")

// draft measures a model and makes what is stored of it, but for its source.
func (r *Registry) draft(ctx context.Context, id string, m *model.Model, o AddOptions) (*draft, error) {
	d := &draft{tier: o.Tier}
	if d.tier == store.Absent {
		d.tier = store.Hot
	}
	if d.tier > store.Cold {
		return nil, about(id, fmt.Errorf("%v: expected hot, warm or cold", d.tier))
	}
	if o.DropSource && o.Rule != nil {
		return nil, about(id, errors.New("a rule keeps the lossless model: it cannot be dropped as well"))
	}
	if m.HasLinear() {
		return nil, about(id, errLinear)
	}
	floor, err := floorOf(m, o)
	if err != nil {
		return nil, about(id, err)
	}
	narrow, err := m.Narrowed(model.KnownNames)
	if err != nil {
		return nil, about(id, err)
	}
	if d.SHA, err = m.SHA256(); err != nil {
		return nil, about(id, err)
	}
	d.Rounds, d.Outputs, d.Trees = m.Rounds(), m.Outputs(), m.NumTrees()
	d.Compressed, d.Expanded = m.Compressed() != nil, narrow.Memory()*5/4 // what the allocator rounds up, and what single rows need
	d.setFloor(floor)
	if d.Certificates, err = certify(ctx, m, narrow, o.Table, o.Options); err != nil {
		return nil, about(id, err)
	}
	if floor.MaxLoss != NoFloor.MaxLoss && !o.AllowTrainingData && slices.ContainsFunc(d.Certificates, func(c Certificate) bool { return c.TrainingData }) {
		return nil, about(id, compress.ErrTrainingData)
	}
	d.least = floor.least(d.Certificates)
	if bits := r.bitsOf(d.tier); bits < d.least && (d.tier != store.Hot || o.DropSource) {
		return nil, d.refuse(id, d.tier, bits)
	}
	leaves, counts := narrow.Leaves(), leafCounts(narrow)
	d.Leaves = len(leaves)
	d.block = blockSize(counts)
	d.values = make([]float32, tensorLength(counts, d.block))
	spread(leaves, counts, d.block, d.values)
	d.Sum = sumOf(d.values)
	if d.structure, err = skeleton(narrow, d.SHA); err != nil {
		return nil, about(id, err)
	}
	d.entry.structure = int64(len(d.structure))
	return d, nil
}

// floorOf returns the floor that a model is added with.
func floorOf(m *model.Model, o AddOptions) (Floor, error) {
	floor := NoFloor
	if z := m.Compressed(); z != nil && z.Certificate != nil {
		floor = Floor{} // what it may lose, its compression has used up
	}
	if o.Floor != nil {
		floor = *o.Floor
	}
	if err := floor.check(); err != nil {
		return floor, err
	}
	if o.Floor != nil && floor.MaxDelta > 0 && floor.MaxLoss != NoFloor.MaxLoss && o.Table == nil {
		return floor, errors.New("a floor of the metric needs a table to measure it on")
	}
	return floor, nil
}

// refuse is the error about a tier below the floor.
func (m *entry) refuse(id string, tier store.Tier, bits int) error {
	e := &FloorError{ID: id, Tier: tier, Bits: bits, Floor: m.floor()}
	if c := m.certificate(bits); c != nil {
		e.Delta, e.Loss = c.Delta(), c.Loss()
	}
	return e
}

// bitsOf returns the width of a tier.
func (r *Registry) bitsOf(t store.Tier) int {
	switch t {
	case store.Hot:
		return r.cfg.HotBits
	case store.Warm:
		return r.cfg.WarmBits
	}
	return r.cfg.ColdBits
}

// draftSource settles where the lossless model comes from. The caller holds writing: a rule's base must not go meanwhile.
func (r *Registry) draftSource(id string, m *model.Model, o AddOptions, d *draft) error {
	data, err := m.Encode()
	if err != nil {
		return about(id, err)
	}
	d.FileBytes = int64(len(data))
	switch {
	case o.DropSource:
	case o.Rule != nil:
		if _, is := o.Rule.(Discard); is {
			return about(id, errors.New("a model is not added to be discarded: see SetRule"))
		}
		d.origin, d.payload, err = r.plan(id, o.Rule, m, d.SHA)
	default:
		d.origin = origin{SHA: d.SHA, Kind: fromFile, Size: d.FileBytes}
		d.payload, err = pack(data)
	}
	return err
}

// commit writes a model. Its tensor comes last: without it there is no model.
func (r *Registry) commit(id string, d *draft) error {
	undo := func(err error) error {
		r.mutex.Lock()
		r.set(id, nil)
		r.mutex.Unlock()
		r.erase(id)
		return err
	}
	// A model whose record is there has its source too: it is never taken for one without.
	if d.origin.Kind != "" {
		if err := r.append(recordSource, id, &d.origin, d.payload); err != nil {
			return err
		}
	}
	if err := r.append(recordModel, id, &d.aboutModel, d.structure); err != nil {
		return undo(err)
	}
	if err := r.synced(id); err != nil {
		return undo(err)
	}
	m := d.entry
	r.mutex.Lock()
	r.set(id, &m)
	r.mutex.Unlock()
	r.tensors.Vouch(r.writer.Position())
	err := r.tensors.Put(id, []int{len(d.values)}, d.values, store.PutOptions{Tier: d.tier, BlockSize: d.block})
	if unsynced := (*UnsyncedError)(nil); err != nil && !errors.As(err, &unsynced) {
		return undo(err)
	}
	if d.origin.isRule() {
		err = errors.Join(err, r.hintRule(id, &m))
	}
	return err
}

// hintRule is tensorRule right away if it can be. Where it cannot, the next sweep does it: what
// the model is made of has been written by then.
func (r *Registry) hintRule(id string, m *entry) error {
	err := r.tensorRule(id, m)
	if unsynced := (*UnsyncedError)(nil); errors.As(err, &unsynced) {
		return err
	}
	return nil
}

// tensorRule tells the store that a model's tensor is made by a rule.
func (r *Registry) tensorRule(id string, m *entry) error {
	r.changed = true
	return r.tensors.SetRule(id, store.Custom{Of: m.origin.Of, Name: ruleName, Params: []byte(id)}, 0)
}

// SetRule says how a model is to be made, so that its own file is dropped, and all the rest of it once it
// is not used any more. The rule makes the model before that, which is compared byte for byte. nil brings the file
// back. Errors: ErrRule, ErrNoSource, ErrNotFound, ErrCycle, ErrReconstructionDepth, *NeededError for a
// model that is to be discarded while others are made of it, store.ErrAbsent; *UnsyncedError, ErrBroken.
func (r *Registry) SetRule(id string, rule Rule) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	m, err := r.entry(id)
	if err != nil {
		return err
	}
	info, err := r.tensors.Info(id)
	if err != nil {
		return err
	}
	if info.Tier == store.Absent {
		return about(id, store.ErrAbsent)
	}
	if _, is := rule.(Discard); is {
		if by := r.neededBy(id); len(by) > 0 {
			return &NeededError{id, by}
		}
		if m.origin.isRule() { // it has a file until it goes
			full, err := r.lossless(id)
			if err == nil {
				err = r.unsetRule(id, m, full)
			}
			if err != nil {
				return err
			}
		}
		r.changed = true
		err := r.tensors.SetRule(id, store.Discard{}, 0)
		if unsynced := (*UnsyncedError)(nil); err == nil || errors.As(err, &unsynced) {
			r.change(id, func(m *entry) { m.discard = true })
		}
		return err
	}
	want, err := r.lossless(id)
	if err != nil && (rule != nil || !errors.Is(err, ErrNoSource)) {
		return err
	}
	if rule == nil {
		return r.unsetRule(id, m, want)
	}
	o, payload, err := r.plan(id, rule, want, m.SHA)
	if err != nil {
		return err
	}
	if err := r.setOrigin(id, o, payload); err != nil {
		return err
	}
	m, err = r.entry(id)
	if err != nil {
		return err
	}
	return r.hintRule(id, m)
}

// unsetRule gives a model its own file again; full is nil if it has no lossless form.
func (r *Registry) unsetRule(id string, m *entry, full *model.Model) error {
	if m.origin.isRule() {
		data, err := full.Encode()
		if err != nil {
			return about(id, err)
		}
		payload, err := pack(data)
		if err != nil {
			return about(id, err)
		}
		if err := r.setOrigin(id, origin{SHA: m.SHA, Kind: fromFile, Size: int64(len(data))}, payload); err != nil {
			return err
		}
	}
	r.changed = true
	r.change(id, func(m *entry) { m.discard = false })
	return r.tensors.SetRule(id, nil, 0)
}

// setOrigin writes where a model comes from. One record decides.
func (r *Registry) setOrigin(id string, o origin, payload []byte) error {
	if err := r.append(recordSource, id, &o, payload); err != nil {
		return err
	}
	r.change(id, func(m *entry) { m.origin, m.discard = o, false })
	return r.synced(id)
}

// Remove removes a model. Errors: ErrNotFound, *NeededError if others are made of it,
// *UnsyncedError, ErrBroken.
func (r *Registry) Remove(id string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	if _, err := r.entry(id); err != nil {
		return err
	}
	if by := r.neededBy(id); len(by) > 0 {
		return &NeededError{id, by}
	}
	r.changed = true
	err := r.tensors.Remove(id)
	if unsynced := (*UnsyncedError)(nil); err != nil && !errors.As(err, &unsynced) {
		return err
	}
	r.mutex.Lock()
	r.set(id, nil)
	r.mutex.Unlock()
	r.erase(id)
	return err
}

// erase removes the records of a model that has no tensor. Where it cannot, Open does.
func (r *Registry) erase(id string) {
	for _, kind := range []uint8{recordPin, recordModel, recordSource} {
		if _, there := r.writer.Lookup(kind, id); there {
			_ = r.writer.Remove(kind, id)
		}
	}
}

// Pin moves a model to a tier, hot, warm or cold, and keeps it there, and among those that stay in
// memory as long as others can go. Errors: *FloorError, ErrNoSource for more bits than are there,
// ErrNotFound, ErrChanged, *UnsyncedError, ErrBroken.
func (r *Registry) Pin(id string, tier store.Tier) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	m, err := r.entry(id)
	if err != nil {
		return err
	}
	if tier == store.Absent || tier > store.Cold {
		return about(id, fmt.Errorf("%v: expected hot, warm or cold", tier))
	}
	if bits := r.bitsOf(tier); bits < m.least && tier != store.Hot {
		return m.refuse(id, tier, bits)
	}
	err = r.move(id, tier)
	if unsynced := (*UnsyncedError)(nil); err != nil && !errors.As(err, &unsynced) {
		return err
	}
	if err := r.setPin(id, tier); err != nil {
		return err
	}
	_ = r.settleOne(id) // what it cannot do now, the next sweep does
	return errors.Join(err, r.synced(id))
}

// moves is how often a move is tried while reads and sweeps change the tensor.
const moves = 10

func (r *Registry) move(id string, tier store.Tier) (err error) {
	r.changed = true
	for range moves {
		if err = r.tensors.Move(id, tier); !errors.Is(err, ErrChanged) {
			break
		}
	}
	if errors.Is(err, store.ErrNoSource) {
		return about(id, ErrNoSource)
	}
	return err
}

// setPin records where a model is pinned; Absent: nowhere.
func (r *Registry) setPin(id string, tier store.Tier) error {
	if tier == store.Absent {
		if _, there := r.writer.Lookup(recordPin, id); there {
			if err := r.writer.Remove(recordPin, id); err != nil {
				return about(id, err)
			}
		}
	} else if err := r.append(recordPin, id, []byte{byte(tier)}, nil); err != nil {
		return err
	}
	r.change(id, func(m *entry) {
		m.pinned = tier
		r.cache.pin(id, tier != store.Absent)
	})
	return nil
}

// Unpin lets a model go where its use moves it. Errors: ErrNotFound, *UnsyncedError, ErrBroken.
func (r *Registry) Unpin(id string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return err
	}
	if _, err := r.entry(id); err != nil {
		return err
	}
	if err := r.setPin(id, store.Absent); err != nil {
		return err
	}
	return r.synced(id)
}
