package format

import (
	"boost/binning"
	"boost/booster/model/internal/packed"
	"boost/dataset"
)

// The cuts section: what turns values into codes.
//
//	offset size
//	0      4      F, number of features
//	4      12·F   per feature: kind u8 (0 numeric f32, 1 numeric f64, 2 categorical),
//	              has missing u8, 1 for unnamed levels and 2 for marks u8, 0 u8,
//	              regular codes u32, count u32
//	…             per feature its count of cuts f32, cuts f64 or codes u32; if it has marks their
//	              number u32, and marks u32
//
// A categorical feature's codes are by dictionary index, ffffffff where a level has none.
func encodeCuts(c *binning.Cuts) []byte {
	b := le.AppendUint32(make([]byte, 0, 4+12*len(c.Features)+4*len(c.Values)+8*len(c.Values64)), uint32(len(c.Features)))
	for f := range c.Features {
		feature := &c.Features[f]
		missing := byte(0)
		if feature.HasMissing {
			missing = 1
		}
		count := len(c.Of32(f)) + len(c.Of64(f)) + len(feature.Codes)
		b = append(b, byte(feature.Kind), missing, packed.LevelFlags(feature), 0)
		b = le.AppendUint32(b, feature.Regular)
		b = le.AppendUint32(b, uint32(count))
	}
	for f := range c.Features {
		b = appendFloats32(b, c.Of32(f))
		b = appendFloats64(b, c.Of64(f))
		for _, code := range c.Features[f].Codes {
			b = le.AppendUint32(b, code)
		}
		if marks := c.Features[f].NameHashes; len(marks) > 0 {
			b = le.AppendUint32(b, uint32(len(marks)))
			for _, m := range marks {
				b = le.AppendUint32(b, m)
			}
		}
	}
	return b
}

// decodeCuts reads the cuts section; names come from the schema.
func decodeCuts(b []byte, columns []*dataset.ColumnSchema) (*binning.Cuts, error) {
	r := reader{b: b}
	count := r.u32()
	if r.short || uint64(count) != uint64(len(columns)) {
		return nil, Errorf("the model is damaged: cuts of %d features for %d feature columns", count, len(columns))
	}
	heads := r.takeArray(uint64(count), 12)
	if r.short {
		return nil, Errorf("the model is damaged: section %q is cut short", CutsSection)
	}
	c := &binning.Cuts{
		Features: make([]binning.Feature, count),
		Ptrs:     make([]uint32, 1, count+1),
		Ptrs64:   make([]uint32, 1, count+1),
	}
	for f := range c.Features {
		head := heads[12*f:][:12]
		feature := &c.Features[f]
		feature.Name = columns[f].Name
		feature.Kind = binning.FeatureKind(head[0])
		feature.HasMissing = head[1] == 1
		feature.Unnamed = head[2]&1 > 0
		feature.Regular = le.Uint32(head[4:])
		n := uint64(le.Uint32(head[8:]))
		switch feature.Kind {
		case binning.Numeric32:
			c.Values = append(c.Values, floats32(r.takeArray(n, 4))...)
		case binning.Numeric64:
			c.Values64 = append(c.Values64, floats64(r.takeArray(n, 8))...)
		case binning.Categorical:
			feature.Codes = numbers32(r.takeArray(n, 4))
			if head[2]&2 > 0 {
				feature.NameHashes = numbers32(r.takeArray(uint64(r.u32()), 4))
			}
		default:
			return nil, Errorf("the model is damaged: feature %q has unknown kind %d", feature.Name, head[0])
		}
		c.Ptrs = append(c.Ptrs, uint32(len(c.Values)))
		c.Ptrs64 = append(c.Ptrs64, uint32(len(c.Values64)))
	}
	if !r.done() {
		return nil, Errorf("the model is damaged: section %q has the wrong length", CutsSection)
	}
	return c, nil
}

func numbers32(b []byte) []uint32 {
	values := make([]uint32, len(b)/4)
	for i := range values {
		values[i] = le.Uint32(b[4*i:])
	}
	return values
}

// The dictionaries section: for each category column of the schema, in order,
//
//	size
//	4      n, number of levels
//	4·n    their lengths in bytes
//	…      their bytes
//
// It is no JSON, so that levels may hold any bytes and 10⁵ of them load at once.
func encodeDictionaries(s dataset.Schema) []byte {
	var b []byte
	for i := range s.Columns {
		if s.Columns[i].Kind != dataset.Category {
			continue
		}
		levels := s.Columns[i].Levels
		b = le.AppendUint32(b, uint32(len(levels)))
		for _, level := range levels {
			b = le.AppendUint32(b, uint32(len(level)))
		}
		for _, level := range levels {
			b = append(b, level...)
		}
	}
	return b
}

// decodeDictionaries fills in the levels of the schema's category columns.
func decodeDictionaries(b []byte, s dataset.Schema) error {
	r := reader{b: b}
	for i := range s.Columns {
		if s.Columns[i].Kind != dataset.Category {
			continue
		}
		n := r.u32()
		lengths := r.takeArray(uint64(n), 4)
		if uint64(packed.LeastLetters(int(n))) > uint64(len(r.b)) {
			return Errorf("the model is damaged: %d different levels of column %q are not in %d bytes", n, s.Columns[i].Name, len(r.b))
		}
		total := uint64(0)
		for j := range len(lengths) / 4 {
			total += uint64(le.Uint32(lengths[4*j:]))
		}
		all := string(r.take(total))
		if r.short {
			return Errorf("the model is damaged: the levels of column %q are cut short", s.Columns[i].Name)
		}
		levels := make([]string, n)
		for j := range levels {
			length := le.Uint32(lengths[4*j:])
			levels[j], all = all[:length], all[length:]
		}
		s.Columns[i].Levels = levels
	}
	if !r.done() {
		return Errorf("the model is damaged: section %q has the wrong length", dictionariesSection)
	}
	return nil
}
