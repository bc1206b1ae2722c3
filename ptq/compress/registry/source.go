package registry

import (
	"errors"
	"fmt"

	"boost/booster/model"
	"boost/internal/recordlog"
	"boost/tensorq/store"
)

// ruleName is the custom rule of tensors whose models are made by rules. The values of the base do not
// enter it: the model is made of models.
const ruleName = "model"

// source has the leaves of models as they were added.
type source struct{ r *Registry }

// Values is that of store.Source.
func (s source) Values(id string, out []float32) error {
	m, err := s.r.lossless(id)
	if errors.Is(err, ErrNoSource) || errors.Is(err, ErrNotFound) {
		return store.ErrNoSource
	}
	if err != nil {
		return err
	}
	return values(m, out)
}

// makeLeaves executes the rule of the model that params names.
func (r *Registry) makeLeaves(_ []float32, _ []int, params []byte, _ []int, out []float32) error {
	id := string(params)
	m, err := r.entry(id)
	if err != nil {
		return err
	}
	if !m.origin.isRule() {
		return about(id, errors.New("it is made by no rule"))
	}
	full, err := r.lossless(id)
	if err != nil {
		return err
	}
	return values(full, out)
}

// values writes the tensor of a model.
func values(full *model.Model, out []float32) error {
	narrow, err := full.Narrowed(model.KnownNames)
	if err != nil {
		return err
	}
	counts := leafCounts(narrow)
	block := blockSize(counts)
	if n := tensorLength(counts, block); n != len(out) {
		return fmt.Errorf("a tensor of %d values for a model whose leaves take %d", len(out), n)
	}
	spread(narrow.Leaves(), counts, block, out)
	return nil
}

// lossless returns a model as it was added: the file's, or what its rule makes, which is the same
// bytes. Errors: ErrNotFound, ErrNoSource, ErrReconstructionDepth, ErrCycle, ErrRule, *DamageError.
func (r *Registry) lossless(id string) (*model.Model, error) {
	return r.follow(id, map[string]bool{})
}

func (r *Registry) follow(id string, seen map[string]bool) (*model.Model, error) {
	m, err := r.entry(id)
	if err != nil {
		return nil, err
	}
	if seen[id] {
		return nil, about(id, ErrCycle)
	}
	if seen[id] = true; len(seen)-1 > r.cfg.MaxDepth {
		return nil, about(id, fmt.Errorf("%w: more than %d", ErrReconstructionDepth, r.cfg.MaxDepth))
	}
	payload, record, err := r.log.Read(recordSource, id, nil)
	if errors.Is(err, recordlog.ErrNotFound) {
		return nil, about(id, ErrNoSource)
	}
	if err != nil {
		return nil, about(id, err)
	}
	o, err := decodeOrigin(id, record.Head) // it may be newer than the entry's
	if err != nil {
		return nil, err
	}
	if o.SHA != m.SHA { // the model was removed, and another added
		return nil, about(id, ErrChanged)
	}
	var data []byte
	if o.Size > 0 {
		if data, err = unpack(payload, o.Size); err != nil {
			return nil, about(id, err)
		}
	}
	if !o.isRule() {
		full, err := model.Decode(data)
		if err != nil {
			return nil, about(id, err)
		}
		return full, nil
	}
	base, err := r.follow(o.Of, seen)
	if err != nil {
		return nil, about(id, err)
	}
	return execute(id, o, base, data, m.SHA)
}

// execute makes a model by a rule and checks that it is the one.
func execute(id string, o origin, base *model.Model, data []byte, want string) (*model.Model, error) {
	made, err := o.make(base, data)
	if err != nil {
		return nil, about(id, fmt.Errorf("%w: %s of %q: %w", ErrRule, o.Kind, o.Of, err))
	}
	sum, err := made.SHA256()
	if err != nil {
		return nil, about(id, err)
	}
	if sum != want {
		return nil, about(id, fmt.Errorf("%w: %s of %q has sha256 %s, the model %s", ErrRule, o.Kind, o.Of, sum, want))
	}
	return made, nil
}

// plan makes a rule ready to be stored as the origin of a model, after it has made the model once.
func (r *Registry) plan(id string, rule Rule, want *model.Model, sha string) (origin, []byte, error) {
	of := rule.of()
	if of == id {
		return origin{}, nil, about(id, ErrCycle)
	}
	b, err := r.entry(of)
	if err != nil {
		return origin{}, nil, about(id, err)
	}
	if b.discard {
		return origin{}, nil, about(id, fmt.Errorf("model %q is to be discarded, and nothing can be made of it", of))
	}
	if err := r.checkChain(id, of); err != nil {
		return origin{}, nil, err
	}
	base, err := r.lossless(of)
	if err != nil {
		return origin{}, nil, about(id, err)
	}
	o, data, err := rule.origin(base, want)
	if err != nil {
		return origin{}, nil, about(id, fmt.Errorf("%w: %w", ErrRule, err))
	}
	if _, err := execute(id, o, base, data, sha); err != nil {
		return origin{}, nil, err
	}
	o.SHA = sha
	if o.Size = int64(len(data)); o.Size > 0 {
		if data, err = pack(data); err != nil {
			return origin{}, nil, about(id, err)
		}
	}
	return o, data, nil
}

// checkChain refuses a rule that leads back, or further than max_depth.
func (r *Registry) checkChain(id, of string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	below := 1
	for at := r.models[of]; at != nil && at.origin.isRule(); at = r.models[at.origin.Of] {
		if at.origin.Of == id {
			return about(id, ErrCycle)
		}
		below++
	}
	if depth := below + r.above(id); depth > r.cfg.MaxDepth {
		return about(id, fmt.Errorf("%w: there would be %d, and max_depth is %d", ErrReconstructionDepth, depth, r.cfg.MaxDepth))
	}
	return nil
}

// above is how many rules lead to a model, one after another, at most.
func (r *Registry) above(id string) int {
	most := 0
	for other := range r.needed[id] {
		most = max(most, 1+r.above(other))
	}
	return most
}

// FindRule returns a rule by which a model is made of one that is there: Prefix, Append or Leaves, the
// first that makes it. ErrRule means that none does.
func (r *Registry) FindRule(of string, m *model.Model) (Rule, error) {
	base, err := r.lossless(of)
	if err != nil {
		return nil, err
	}
	sha, err := m.SHA256()
	if err != nil {
		return nil, err
	}
	for _, rule := range []Rule{Prefix{of, m.Rounds()}, Append{of}, Leaves{of}} {
		o, data, err := rule.origin(base, m)
		if err != nil {
			continue
		}
		if _, err := execute(of, o, base, data, sha); err == nil {
			return rule, nil
		}
	}
	return nil, fmt.Errorf("%w: it is neither the first rounds of model %q, nor that with more rounds or with other leaf values", ErrRule, of)
}
