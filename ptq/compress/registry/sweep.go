package registry

import (
	"errors"
	"fmt"

	"boost/booster/model"
	"boost/tensorq/store"
)

// Report says what a sweep did.
type Report struct {
	store.Report // of the models' tensors
	// Short is by how many bytes the cap of memory is too small to hold every model in the fewest
	// bits that its floor allows. No model is made worse for that: those that do not fit are read from
	// disk.
	Short int64
}

// Sweep moves models to the tiers that their use calls for, as far as their floors allow: see
// store.Store.Sweep, which does nothing within Config.SweepInterval. Models that nobody uses and a rule makes
// become absent. Reads go on meanwhile.
func (r *Registry) Sweep() (Report, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := r.writable(); err != nil {
		return Report{}, err
	}
	// A tensor is never on the disk without its model.
	if err := r.writer.Sync(); err != nil {
		return Report{}, fmt.Errorf("registry: %w", err)
	}
	moved, err := r.tensors.Sweep()
	r.changed = r.changed || moved.Raised+moved.Lowered+moved.Narrowed+moved.Retired > 0
	report := Report{Report: moved, Short: r.shortOf(r.need())}
	if err != nil || moved.Early {
		return report, err
	}
	if err := r.settle(); err != nil {
		return report, err
	}
	live, total := r.log.Size()
	if float64(total) > float64(r.cfg.CompactRatio*float64(live))+compactSlack {
		if err := r.writer.Compact(); err != nil {
			return report, fmt.Errorf("registry: %w", err)
		}
	}
	return report, r.synced("")
}

// compactSlack is how many bytes of a log are never too many.
const compactSlack = 1 << 20

// settle brings the records of all models in line with their tensors. The caller holds writing.
func (r *Registry) settle() error {
	var all error
	for _, id := range r.IDs() {
		all = errors.Join(all, r.settleOne(id))
	}
	return all
}

// settleOne drops what an absent model does not need, and gives one that has returned its structure.
func (r *Registry) settleOne(id string) error {
	m, err := r.entry(id)
	if err != nil {
		return err
	}
	t, err := r.tensors.Info(id)
	if err != nil {
		return err
	}
	f := store.Form{Tier: t.Tier, Bits: t.Bits}
	r.mutex.Lock()
	if kept, _ := r.cache.of(id); kept != nil && (kept.version.seq == 0) == m.coded(f) {
		r.cache.drop(id) // it is read in another form now
	}
	r.mutex.Unlock()
	if m.pinned != store.Absent && m.pinned != t.Tier { // a stop came between the two
		switch err := r.move(id, m.pinned); {
		case errors.Is(err, ErrNoSource), errors.Is(err, ErrQualityFloor):
			return r.setPin(id, store.Absent)
		case err != nil:
			return err
		}
		if t, err = r.tensors.Info(id); err != nil {
			return err
		}
	}
	switch {
	case t.Tier == store.Absent:
		return r.strip(id, m)
	case m.structure == 0:
		return r.clothe(id, m)
	case m.origin.isRule() && t.Base != m.origin.Of:
		return r.tensorRule(id, m) // a stop came between the two
	}
	return nil
}

// strip drops the structure of an absent model, and of one that was discarded all.
func (r *Registry) strip(id string, m *entry) error {
	if m.structure > 0 {
		if err := r.append(recordModel, id, &m.aboutModel, nil); err != nil {
			return err
		}
		r.change(id, func(m *entry) { m.structure = 0 })
	}
	if m.discard && m.origin.Kind != "" {
		if err := r.writer.Remove(recordSource, id); err != nil {
			return about(id, err)
		}
		r.change(id, func(m *entry) { m.origin = origin{} })
		r.mutex.Lock()
		r.cache.drop(id)
		r.mutex.Unlock()
	}
	return nil
}

// clothe gives a model its structure again.
func (r *Registry) clothe(id string, m *entry) error {
	structure, err := r.makeStructure(id, m)
	if err != nil {
		return err
	}
	if err := r.append(recordModel, id, &m.aboutModel, structure); err != nil {
		return err
	}
	r.change(id, func(m *entry) { m.structure = int64(len(structure)) })
	return nil
}

// makeStructure makes the structure of a model from its lossless form.
func (r *Registry) makeStructure(id string, m *entry) ([]byte, error) {
	full, err := r.lossless(id)
	if err != nil {
		return nil, err
	}
	narrow, err := full.Narrowed(model.KnownNames)
	if err != nil {
		return nil, about(id, err)
	}
	structure, err := skeleton(narrow, m.SHA)
	if err != nil {
		return nil, about(id, err)
	}
	return structure, nil
}

// floorBytes is what a model takes in memory in the fewest bits that it may have.
func (m *entry) floorBytes(f store.Form) int64 {
	bits := m.least
	switch {
	case f.Tier == store.Absent:
		return 0
	case m.origin.Kind == "":
		bits = f.Bits
	case bits == exactly && m.Compressed:
		return m.FileBytes + formOverhead
	case bits == exactly:
		return m.Expanded + formOverhead
	}
	n := m.structure + formOverhead
	if c := m.certificate(bits); c != nil {
		n += c.Bytes
	}
	return n
}

// shortOf is by how much the cap is too small for what is needed.
func (r *Registry) shortOf(need int64) int64 {
	if r.cfg.MemoryCap == 0 {
		return 0
	}
	return max(0, need-r.cfg.MemoryCap)
}

// need is what all models take in memory in the fewest bits that they may have.
func (r *Registry) need() int64 {
	n := int64(0)
	for _, id := range r.IDs() {
		m, err := r.entry(id)
		t, missing := r.tensors.Info(id)
		if err == nil && missing == nil {
			n += m.floorBytes(store.Form{Tier: t.Tier, Bits: t.Bits})
		}
	}
	return n
}

// Stats is what a registry holds.
type Stats struct {
	Models map[store.Tier]int
	// Memory is the bytes of forms in memory, never more than Cap, 0 for no limit.
	Memory, Cap   int64
	Ready, Packed int // forms in memory: to predict with, and files that have to be opened first
	// Floors is what all models take in the fewest bits that their floors allow, Short by how much
	// that is more than Cap.
	Floors, Short int64
	// Hits counts reads of forms that were in memory, Misses those of others, since Open.
	Hits, Misses uint64
	Tensors      store.Stats
	Live, Disk   int64 // bytes of all records that are there, and of the logs
}

// Stats counts what the registry holds.
func (r *Registry) Stats() Stats {
	s := Stats{Tensors: r.tensors.Stats(), Floors: r.need(), Cap: r.cfg.MemoryCap}
	s.Models = s.Tensors.Tensors
	s.Short = r.shortOf(s.Floors)
	live, total := r.log.Size()
	s.Live, s.Disk = live+s.Tensors.Live, total+s.Tensors.Disk
	r.mutex.Lock()
	defer r.mutex.Unlock()
	s.Memory = r.cache.bytes()
	s.Ready, s.Packed = r.cache.count()
	s.Hits, s.Misses = r.cache.hits, r.cache.misses
	return s
}
