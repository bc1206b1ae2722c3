package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"boost/internal/recordlog"
	"boost/internal/vfs"
)

// Options are what a store needs beside its numbers.
type Options struct {
	// Clock tells the time, as time.Now does. The store has no other.
	Clock func() time.Time
	// Source has the lossless values of tensors, if anything has.
	Source Source
	// Rules are the functions of Custom rules, by name.
	Rules map[string]CustomRule
	// Limits says which forms a tensor may have; nil: all of them have any. It is called while the
	// store is locked and must not use it.
	Limits func(id string) Limits
	// ReadOnly opens a store that another process may be writing. Accesses are then
	// counted for this process only, and Refresh shows what the other has written.
	ReadOnly bool
	// Intact refuses, with recordlog.ErrTorn, a store whose log a crash has left an unfinished record in.
	Intact bool
	// FS is the file system of the folder, for tests of this module; nil: the operating system's.
	FS vfs.FS
}

// Limits are what a tensor's owner does not let the store change.
type Limits struct {
	// MinBits is the fewest bits that a tensor may have while it is not absent: a tier of fewer is
	// passed over for the next warmer one. Hot it may be always.
	MinBits int
	// Keep leaves the tensor in the tier and the bits that it has, and does not let it become absent.
	Keep bool
}

// Source has the lossless values of tensors. It is called from several goroutines, and may use the
// store but for Sweep, within which it may be called.
type Source interface {
	// Values writes the values of a tensor to out, which has one for each: the same bits
	// that were put. ErrNoSource if it has them not.
	Values(id string, out []float32) error
}

// Store keeps tensors in a folder. In memory are their metadata, some 400 bytes each, and
// of the compressed tensors as many as Config.MemoryCap allows; values exist only in the slices of callers,
// and while tensors are encoded. Methods may be called from several goroutines; reads do not wait for the disk's
// writes.
type Store struct {
	cfg     Config
	options Options
	log     recordlog.Reading
	writer  *recordlog.Log // nil: read-only

	// writing is held from the first look at what a change depends on until the change is
	// made, mutex only for moments: what it guards changes under both.
	writing sync.Mutex

	sweeping sync.Mutex

	mutex     sync.Mutex
	closed    bool
	tensors   map[string]*tensor
	needed    map[string]map[string]bool // id to those whose rules refer to it
	residents residents
	warm      int64 // bytes of the blocks of warm tensors
	swept     int64 // time of the last sweep, ns
	hasSwept  bool
	recorded  int64 // the one that the log has, 0 for none
	moving    bool  // a sweep is under way
	sourceErr uint64

	left []leftover // guarded by writing
}

// leftover is a record that belongs to no tensor and could not be removed.
type leftover struct {
	kind uint8
	id   string
}

// tensor is what is in memory of a tensor.
type tensor struct {
	id string
	state
	seq     uint64 // of its record
	size    int64  // of its payload
	payload []byte // nil: on disk only
	used    bool   // since its use was recorded
	tried   int64  // when a source was last asked for and had nothing, ns
	hasTry  bool

	before, after *tensor // of the residents
}

// Open opens the store of a folder, or makes one. Errors: Config.Validate's, those of
// the folder's log (a *DamageError names file and byte), ErrBusy, *RecordError.
func Open(dir string, cfg Config, options Options) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if options.Clock == nil {
		return nil, errors.New("store: Options.Clock is nil: give time.Now, or a clock of your own")
	}
	s := &Store{cfg: cfg, options: options}
	s.residents.init(cfg.MemoryCap)
	logOptions := recordlog.Options{Kind: logKind, Intact: options.Intact, FS: options.FS}
	var err error
	if s.log, s.writer, err = recordlog.OpenFor(dir, logOptions, options.ReadOnly); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := s.load(); err != nil {
		_ = s.log.Abandon()
		return nil, err
	}
	return s, nil
}

// load reads what the log says of its tensors.
func (s *Store) load() error {
	tensors := map[string]*tensor{}
	for _, e := range s.log.Entries(recordTensor) {
		st, err := decodeHead(e.ID, e.Head, e.Size)
		if err != nil {
			return err
		}
		tensors[e.ID] = &tensor{id: e.ID, state: st, seq: e.Seq, size: e.Size}
	}
	var orphans []leftover
	for _, e := range s.log.Entries(recordAccess) {
		t := tensors[e.ID]
		if t == nil {
			orphans = append(orphans, leftover{e.Type, e.ID})
		} else if e.Seq > t.seq {
			if err := t.takeAccess(e.ID, e.Head); err != nil {
				return err
			}
		}
	}
	for _, kind := range []uint8{recordMaster, recordOther} {
		for _, e := range s.log.Entries(kind) {
			if t := tensors[e.ID]; t == nil || t.master != kind {
				orphans = append(orphans, leftover{e.Type, e.ID})
			}
		}
	}
	var swept int64
	sweep, hasSwept := s.log.Lookup(recordSweep, "")
	if hasSwept {
		if len(sweep.Head) != 8 {
			return &RecordError{"", fmt.Sprintf("a sweep of %d bytes", len(sweep.Head))}
		}
		swept = int64(binary.LittleEndian.Uint64(sweep.Head))
	}
	s.mutex.Lock()
	s.swept, s.hasSwept, s.recorded = swept, hasSwept, swept
	s.residents.init(s.cfg.MemoryCap)
	s.residents.bytes = 0
	s.tensors, s.needed, s.warm = map[string]*tensor{}, map[string]map[string]bool{}, 0
	for _, t := range tensors {
		s.enter(t)
	}
	s.mutex.Unlock()
	if s.writer != nil {
		s.abandon(orphans...) // a stop between two records of one change leaves these
	}
	return nil
}

// abandon removes records that belong to no tensor any more, as far as the disk takes that: the others do no
// harm, and go another time. The caller holds writing.
func (s *Store) abandon(records ...leftover) {
	s.left = append(s.left, records...)
	for i, l := range s.left {
		t := s.tensors[l.id]
		if t != nil && (l.kind == recordAccess || l.kind == t.master) {
			continue // it belongs to one again
		}
		if _, ok := s.log.Lookup(l.kind, l.id); !ok {
			continue
		}
		if s.writer.Remove(l.kind, l.id) != nil {
			s.left = slices.Clone(s.left[i:])
			return
		}
	}
	s.left = nil
}

// enter takes a tensor into the sums and maps.
func (s *Store) enter(t *tensor) {
	s.tensors[t.id] = t
	s.warm += s.warmBytes(&t.state)
	if t.rule.refers() {
		if s.needed[t.rule.ref] == nil {
			s.needed[t.rule.ref] = map[string]bool{}
		}
		s.needed[t.rule.ref][t.id] = true
	}
}

// leave takes it out.
func (s *Store) leave(t *tensor) {
	delete(s.tensors, t.id)
	s.residents.drop(t)
	s.warm -= s.warmBytes(&t.state)
	if t.rule.refers() {
		if delete(s.needed[t.rule.ref], t.id); len(s.needed[t.rule.ref]) == 0 {
			delete(s.needed, t.rule.ref)
		}
	}
}

// limits are those of a tensor's owner.
func (s *Store) limits(id string) Limits {
	if s.options.Limits == nil {
		return Limits{}
	}
	return s.options.Limits(id)
}

// blockOf is how many values of a tensor share a scale where it is made anew.
func (s *Store) blockOf(t *state) int {
	if t.own {
		return t.block
	}
	return s.cfg.Quant.BlockSize
}

func (s *Store) warmBytes(t *state) int64 {
	if t.tier != Warm {
		return 0
	}
	return blockBytes(product(t.shape), t.bits, t.block)
}

// dependents returns the ids of the tensors that need one and have a rule for which
// counts says so.
func (s *Store) dependents(id string, counts func(*tensor) bool) []string {
	var by []string
	for _, other := range slices.Sorted(maps.Keys(s.needed[id])) {
		if counts(s.tensors[other]) {
			by = append(by, other)
		}
	}
	return by
}

func (s *Store) now() int64 { return s.options.Clock().UnixNano() }

// age is the time since the last access of a tensor.
func (t *state) age(now int64) time.Duration { return time.Duration(now - t.last) }

func (s *Store) score(t *state, now int64) uint64 {
	return Score(t.count, s.cfg.ScoreScale, t.age(now))
}

// flush records the use of tensors since it was recorded last, and the last sweep. The caller holds writing.
func (s *Store) flush() error {
	type use struct {
		id   string
		head []byte
	}
	s.abandon() // what could not be removed before
	if err := s.flushSweep(); err != nil {
		return err
	}
	s.mutex.Lock()
	var uses []use
	for _, id := range slices.Sorted(maps.Keys(s.tensors)) {
		if t := s.tensors[id]; t.used {
			uses = append(uses, use{id, t.appendAccess(nil)})
			t.used = false
		}
	}
	s.mutex.Unlock()
	for i, u := range uses {
		if _, err := s.writer.Append(recordAccess, u.id, u.head, nil); err != nil {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			for _, u := range uses[i:] {
				s.tensors[u.id].used = true
			}
			return about(u.id, err)
		}
	}
	return nil
}

// flushSweep records when the last sweep was, so that a store that is opened anew does not sweep at once
// (S3.48). The caller holds writing.
func (s *Store) flushSweep() error {
	s.mutex.Lock()
	swept, news := s.swept, s.hasSwept && s.swept != s.recorded
	s.mutex.Unlock()
	if !news {
		return nil
	}
	if _, err := s.writer.Append(recordSweep, "", binary.LittleEndian.AppendUint64(nil, uint64(swept)), nil); err != nil {
		return about("", err)
	}
	s.mutex.Lock()
	s.recorded = swept
	s.mutex.Unlock()
	return nil
}

// Sync returns when all changes, and the counts of accesses, are on the disk.
func (s *Store) Sync() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.writable(""); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.writer.Sync(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Compact writes the log anew without what is no longer there. Sweep does so by itself.
func (s *Store) Compact() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.writable(""); err != nil {
		return err
	}
	if err := s.writer.Compact(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Verify reads and checks the whole log; a *DamageError says what is wrong. Reads and changes go on
// meanwhile.
func (s *Store) Verify() error {
	if err := s.log.Verify(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Refresh shows a store that was opened for reading what was written since.
func (s *Store) Refresh() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	r, ok := s.log.(*recordlog.Reader)
	if !ok {
		return nil
	}
	changed, err := r.Refresh()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if !changed {
		return nil
	}
	return s.load()
}

// Close records the use of tensors, if there is room for it, and closes the log. No other call may be under way.
func (s *Store) Close() error { return s.release((*Store).complete) }

// Abandon closes the store and writes nothing: for a caller that finds out, after it opened the store,
// that something is wrong with it.
func (s *Store) Abandon() error { return s.release(func(s *Store) error { return s.log.Abandon() }) }

// complete records the use of tensors and closes the log.
func (s *Store) complete() error {
	if s.writer != nil {
		_ = s.flush() // nothing depends on it
	}
	return s.log.Close()
}

func (s *Store) release(log func(*Store) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mutex.Lock()
	closed := s.closed
	s.closed = true
	s.mutex.Unlock()
	if closed {
		return fmt.Errorf("store: %w", ErrClosed)
	}
	if err := log(s); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
