package registry

import (
	"boost/booster/model"
	"boost/internal/vfs"
)

// On returns options of a registry on another file system.
func On(fs vfs.FS, o Options) Options {
	o.fs = fs
	return o
}

// DecodeRecord reads the head of a record of a type and writes it again.
func DecodeRecord(kind uint8, head []byte) ([]byte, error) {
	switch kind {
	case recordModel:
		a, err := decodeAbout("x", head)
		if err != nil {
			return nil, err
		}
		a.floor().least(a.Certificates)
		return encodeHead(&a), nil
	case recordSource:
		o, err := decodeOrigin("x", head)
		if err != nil {
			return nil, err
		}
		return encodeHead(&o), nil
	}
	tier, err := decodePin("x", head)
	return []byte{byte(tier)}, err
}

// Execute makes a model by a rule whose record and payload are given.
func Execute(base *model.Model, head, payload []byte) (*model.Model, error) {
	o, err := decodeOrigin("x", head)
	if err != nil {
		return nil, err
	}
	return o.make(base, payload)
}

// LeavesDelta is what is stored of new leaf values.
func LeavesDelta(base, want *model.Model) ([]byte, error) { return leavesDelta(base, want) }

// Gather returns the leaf values of a tensor's segment.
func Gather(segment []byte, counts []int) ([]float64, error) {
	v, err := gather(segment, counts)
	if err != nil {
		return nil, err
	}
	out := make([]float64, v.Len())
	v.DecodeRange(out, 0)
	return out, nil
}

// Make returns what a rule makes of the model that it names.
func (r *Registry) Make(rule Rule) (*model.Model, error) {
	base, err := r.lossless(rule.of())
	if err != nil {
		return nil, err
	}
	o, data, err := rule.origin(base, nil)
	if err != nil {
		return nil, err
	}
	return o.make(base, data)
}

// PackAndUnpack returns what a payload is packed to, and that unpacked.
func PackAndUnpack(data []byte) (packed, again []byte, err error) {
	if packed, err = pack(data); err == nil {
		again, err = unpack(packed, int64(len(data)))
	}
	return packed, again, err
}
