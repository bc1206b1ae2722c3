package ptq

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	// ErrNoMaster means that a store has neither the version asked for nor a master to
	// make it from.
	ErrNoMaster = errors.New("ptq: the store has no master to make this version from: ask for one that it has, or Unpack that first")
	// ErrMaster refuses to put the values of a version in a master's place.
	ErrMaster = errors.New("ptq: the store has a master, which values of a version must not replace: SetMaster takes new true values")
	// ErrExists refuses a version that is there already.
	ErrExists = errors.New("ptq: the store has a version of this type and calibration: open a store of its own for another one")
)

// errUnmade is what those get who waited for a maker that panicked.
var errUnmade = errors.New("ptq: the version could not be made")

// WeightStore is one set of values, the master, and the versions made of it (S4.1).
// The master is the truth: no version changes it, and when it changes, all versions go.
// Safe for concurrent use; versions that were handed out stay as they are.
type WeightStore struct {
	mu       sync.RWMutex
	n        int
	bounds   *Groups
	master   *Version // F64 or F32, without a copy; nil: none
	derived  bool
	versions []*entry // in the order asked for
	made     int
}

// entry is a version that is there or in the making.
type entry struct {
	dtype       DType
	calibration Calibration // resolved
	done        chan struct{}
	version     *Version // after done
	err         error
}

// NewWeightStore returns a store with a master of float64. bounds are ranges of the values
// that formats of blocks must not span, as a model's trees; nil: one range. The slice is
// copied. Errors: ErrNotFinite, ErrGroups.
func NewWeightStore(values []float64, bounds *Groups) (*WeightStore, error) {
	s := &WeightStore{}
	if err := s.SetMaster(values, bounds); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenWeightStore returns a store of a version from a file, without a master: what
// predicts needs no more. Errors: ErrGroups.
func OpenWeightStore(v *Version, bounds *Groups) (*WeightStore, error) {
	if err := bounds.check(v.n); err != nil {
		return nil, err
	}
	return &WeightStore{n: v.n, bounds: bounds, versions: []*entry{arrived(v)}}, nil
}

// SetMaster puts new true values in place and drops every version: training, refit and
// renewed leaves do this and nothing else (S4.2, S4.3). There may be another number
// of them. Errors as NewWeightStore; the store is then as it was.
func (s *WeightStore) SetMaster(values []float64, bounds *Groups) error {
	if err := finite(values); err != nil {
		return err
	}
	return s.setMaster(masterOf(F64, len(values), slices.Clone(values)), bounds)
}

// SetMasterF32 is SetMaster with values of float32.
func (s *WeightStore) SetMasterF32(values []float32, bounds *Groups) error {
	v := masterOf(F32, len(values), slices.Clone(values))
	if err := v.checkCodes(); err != nil {
		return err
	}
	return s.setMaster(v, bounds)
}

func (s *WeightStore) setMaster(v *Version, bounds *Groups) error {
	if err := bounds.check(v.n); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.bounds, s.master, s.derived, s.versions = v.n, bounds, v, false, nil
	return nil
}

// masterOf is the version that codes of a master's own type are: without errors.
func masterOf(d DType, n int, codes any) *Version {
	return &Version{dtype: d, n: n, calibration: Calibration{Method: None}, codes: codes, errors: &Errors{ByGroup: []float64{0}}}
}

// Len is the number of values.
func (s *WeightStore) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n
}

// Bounds returns the ranges that formats of blocks must not span.
func (s *WeightStore) Bounds() *Groups {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bounds
}

// Master returns the true values as a version of their own type, F64 or F32, and false if
// there are none.
func (s *WeightStore) Master() (*Version, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.master, s.master != nil
}

// Derived reports whether the master was rebuilt from a version by Unpack, so that it is no
// better than that.
func (s *WeightStore) Derived() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.derived
}

// Made is how many versions the store has made so far, dropped ones included.
func (s *WeightStore) Made() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.made
}

// Versions returns the versions that are there, in the order in which they were asked for,
// without the master.
func (s *WeightStore) Versions() []*Version {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var there []*Version
	for _, e := range s.versions {
		if e.ready() {
			there = append(there, e.version)
		}
	}
	return there
}

// Add puts a version from a file into the store, beside the master if there is one, whose
// version it then has to be. Errors: ErrGroups for another number of values; ErrExists.
func (s *WeightStore) Add(v *Version) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.n != s.n {
		return ErrGroups{fmt.Sprintf("store: a version of %d values for a store of %d", v.n, s.n)}
	}
	if s.find(v.dtype, &v.calibration) != nil || s.master != nil && s.master.dtype == v.dtype {
		return ErrExists
	}
	s.versions = append(s.versions, arrived(v))
	return nil
}

// arrived is the entry of a version that is there.
func arrived(v *Version) *entry {
	e := &entry{dtype: v.dtype, calibration: v.calibration, version: v, done: make(chan struct{})}
	close(e.done)
	return e
}

// ready reports whether the version is there.
func (e *entry) ready() bool {
	select {
	case <-e.done:
		return e.version != nil
	default:
		return false
	}
}

// find returns the entry of a type and a resolved calibration; the lock is held.
func (s *WeightStore) find(d DType, c *Calibration) *entry {
	for _, e := range s.versions {
		if e.dtype == d && e.calibration.equal(c) {
			return e
		}
	}
	return nil
}

// resolve completes the calibration for the values that the store has; the lock is held.
func (s *WeightStore) resolve(d DType, c Calibration) (Calibration, error) {
	if s.master != nil && s.master.dtype == F32 {
		c.Float32Scales = true
	}
	return c.Resolve(d, s.n)
}

// Morph returns the version of the master in a type (S4.7). It makes it if it is not
// there, and else does nothing (S4.17); while one caller makes a version, others that ask
// for it wait, and for others do not. The master's own type is the master itself. Errors:
// ErrNoMaster, and those of Quantize.
func (s *WeightStore) Morph(d DType, c Calibration) (*Version, error) {
	v, _, err := s.morph(d, c)
	return v, err
}

// morph also reports whether the version was there.
func (s *WeightStore) morph(d DType, c Calibration) (*Version, bool, error) {
	s.mu.RLock()
	v, there, err := s.there(d, c)
	s.mu.RUnlock()
	if there || err != nil {
		return v, there, err
	}

	s.mu.Lock()
	c, err = s.resolve(d, c)
	if err != nil {
		s.mu.Unlock()
		return nil, false, err
	}
	e, master := s.find(d, &c), s.master
	if e == nil && master == nil {
		s.mu.Unlock()
		return nil, false, ErrNoMaster
	}
	if e == nil && master.dtype == d {
		s.mu.Unlock()
		return master, true, nil
	}
	if e != nil {
		s.mu.Unlock()
		<-e.done
		return e.version, false, e.err
	}
	e = &entry{dtype: d, calibration: c, done: make(chan struct{}), err: errUnmade}
	s.versions = append(s.versions, e)
	s.made++
	s.mu.Unlock()
	defer s.finish(e)
	e.version, e.err = master.as(d, c)
	return e.version, false, e.err
}

// there returns a version that need not be waited for; the lock is held.
func (s *WeightStore) there(d DType, c Calibration) (*Version, bool, error) {
	c, err := s.resolve(d, c)
	if err != nil {
		return nil, false, err
	}
	if e := s.find(d, &c); e != nil {
		if !e.ready() {
			return nil, false, nil
		}
		return e.version, true, nil
	}
	if s.master != nil && s.master.dtype == d {
		return s.master, true, nil
	}
	return nil, false, nil
}

// finish lets those who wait for an entry go on, and forgets one that came to nothing.
func (s *WeightStore) finish(e *entry) {
	if e.version == nil {
		s.mu.Lock()
		s.versions = slices.DeleteFunc(s.versions, func(o *entry) bool { return o == e })
		s.mu.Unlock()
	}
	close(e.done)
}

// as returns the values of a version in another type.
func (v *Version) as(d DType, c Calibration) (*Version, error) {
	values, ok := v.codes.([]float64)
	if !ok {
		values = v.values()
	}
	return Quantize(d, c, values)
}

func (v *Version) values() []float64 {
	values := make([]float64, v.n)
	v.DecodeRange(values, 0)
	return values
}

// Remorph makes a version of the master anew even if it is there, and puts it in place of
// that one. Readers have the one before until then. Errors as Morph.
func (s *WeightStore) Remorph(d DType, c Calibration) (*Version, error) {
	s.mu.Lock()
	c, err := s.resolve(d, c)
	master := s.master
	if err == nil && master == nil {
		err = ErrNoMaster
	}
	if err != nil || master.dtype == d {
		s.mu.Unlock()
		return master, err
	}
	s.made++
	s.mu.Unlock()

	v, err := master.as(d, c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master != master {
		return v, nil // of values that are gone meanwhile
	}
	if old := s.find(d, &c); old != nil {
		s.versions[slices.Index(s.versions, old)] = arrived(v)
	} else {
		s.versions = append(s.versions, arrived(v))
	}
	return v, nil
}

// Missing says what a reader takes where the version that it asks for is not there.
type Missing uint8

const (
	// Make makes the version first.
	Make Missing = iota
	// Auto takes the master as it is.
	Auto
)

// Active is what a reader got.
type Active struct {
	// Version is what to read; its DType says what was used.
	Version *Version
	// Existed reports whether the version asked for was there before.
	Existed bool
	// Master reports whether the master was taken in its place, as only Auto does.
	Master bool
}

// GetActive returns the version to predict from (S4.31): the one asked for, made
// first if it is missing. Only a caller who says Auto gets the master in its place, and is
// told. Errors as Morph; with Auto, only ErrNoMaster and those of Calibration.Resolve.
func (s *WeightStore) GetActive(d DType, c Calibration, missing Missing) (Active, error) {
	if missing == Make {
		v, existed, err := s.morph(d, c)
		return Active{Version: v, Existed: existed}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, there, err := s.there(d, c)
	switch {
	case err != nil:
		return Active{}, err
	case there:
		return Active{Version: v, Existed: true}, nil
	case s.master == nil:
		return Active{}, ErrNoMaster
	}
	return Active{Version: s.master, Master: true}, nil
}

// Unpack rebuilds the master from a version (S4.19), as float32 from F32 and as
// float64 from all others, and marks it derived; the versions stay. It fills only what is
// empty. Errors: ErrMaster if there is a master, ErrNoMaster if the version is not there,
// those of Calibration.Resolve.
func (s *WeightStore) Unpack(d DType, c Calibration) error {
	s.mu.RLock()
	v, there, err := s.there(d, c)
	master := s.master
	s.mu.RUnlock()
	switch {
	case master != nil:
		return ErrMaster
	case err != nil:
		return err
	case !there:
		return ErrNoMaster
	}
	rebuilt := masterOf(F64, v.n, v.codes)
	switch d {
	case F64:
	case F32:
		rebuilt.dtype = F32
	default:
		rebuilt.codes = v.values()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master != nil {
		return ErrMaster
	}
	s.master, s.derived = rebuilt, true
	return nil
}

// SimulateF32 returns the values as they are in a version, rounded to float32
// (S4.16); the version is made if it is missing. The master is left alone. Errors as Morph,
// and ErrOverflow for a value beyond float32.
func (s *WeightStore) SimulateF32(d DType, c Calibration) ([]float32, error) {
	values, err := s.SimulateF64(d, c)
	if err != nil {
		return nil, err
	}
	return narrow(values)
}

// SimulateF64 is SimulateF32 without the last rounding: what a prediction adds up.
func (s *WeightStore) SimulateF64(d DType, c Calibration) ([]float64, error) {
	v, err := s.Morph(d, c)
	if err != nil {
		return nil, err
	}
	return v.values(), nil
}
