package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"boost/booster/model/internal/jsonform"
	"boost/booster/model/internal/packed"
	"boost/ptq"
	"boost/tree"
	"boost/tree/pack"
)

// CompressedVersion is the format version of compressed models.
const CompressedVersion = 2

// PackedSection is the one section of a compressed model: the lengths of its parts, uvarints, and the
// parts, one behind the other, in the order of compressedNames.
const PackedSection = "packed"

// The parts of a compressed model beside those that are called like sections of a full one.
const (
	aboutSection  = "about"  // packed text: what the manifest of a full model holds
	scalesSection = "scales" // scales and offsets of leaf values
	// In place of leavesSection, where that is shorter: the same codes, packed.
	packedLeavesSection = "packed_leaves"
)

var CompressedNames = []string{
	aboutSection, CutsSection, dictionariesSection, StructureSection, scalesSection, leavesSection, packedLeavesSection, statisticsSection,
}

// compressedParts returns the parts of a compressed model's file.
func (c *Contents) compressedParts() []Section {
	leaves := Section{leavesSection, c.Compression.Leaves.AppendNative(nil)}
	if v, ok := c.Compression.Leaves.(*ptq.Version); ok && packed.LeavesOf(v.DType()) {
		if codes := packed.PackLeaves(v, LeafCounts(c.Trees), c.Outputs); len(codes) < len(leaves.Data) {
			leaves = Section{packedLeavesSection, codes}
		}
	}
	return append(c.packHead(c.Compression, 0),
		Section{StructureSection, pack.Write(c.Trees, Features(c.Cuts), c.Outputs)},
		Section{scalesSection, EncodeScales(c.Compression.Leaves)},
		leaves,
		Section{statisticsSection, encodeStatistics(c.Trees)},
	)
}

// packHead returns the parts that say nothing of single trees. room is how long the text of the first is, if that is known.
func (c *Contents) packHead(z *Compression, room int) []Section {
	object := c.Manifest()
	object["compression"] = z.Form()
	return []Section{
		{aboutSection, packed.PackAbout(jsonform.Append(make([]byte, 0, room), object))},
		{CutsSection, packed.PackCuts(c.Cuts)},
		{dictionariesSection, packed.PackDictionaries(c.Schema)},
	}
}

// SectionTable appends the manifest of a compressed model, which holds the section table only.
func SectionTable(b []byte, table []SectionEntry) []byte {
	return jsonform.Append(b, map[string]any{"sections": jsonform.List(table, SectionForm)})
}

// compressionEntry is how the about section spells a Compression.
type compressionEntry struct {
	Certificate   json.RawMessage `json:"certificate"`
	Float32Scales bool            `json:"float32_scales"`
	Form          string          `json:"form"`
	Grouping      string          `json:"grouping"`
	Method        string          `json:"method"` // "" for blocks
	Offset        float64         `json:"offset"`
	Percent       float64         `json:"percent"`
	Scale         float64         `json:"scale"`
	Source        string          `json:"source"`
	Statistics    bool            `json:"statistics"`
}

// Form words a compression; the calibration's numbers only where they say something.
func (z *Compression) Form() any {
	object := map[string]any{
		"form": z.Leaves.Form().String(), "grouping": z.Grouping,
		"source": z.Source, "statistics": z.Statistics,
	}
	if z.Certificate != nil {
		object["certificate"] = z.Certificate // checkCompression has written it
	}
	if v, ok := z.Leaves.(*ptq.Version); ok {
		k := v.Calibration()
		object["method"], object["float32_scales"] = k.Method.String(), k.Float32Scales
		switch k.Method {
		case ptq.Percentile:
			object["percent"] = k.Percent
		case ptq.Given:
			object["scale"], object["offset"] = k.Scale, k.Offset
		}
	}
	return object
}

// EncodeScales returns the scales, f32 or f64, and the offsets, f64, of a version.
func EncodeScales(values ptq.Values) []byte {
	v, ok := values.(*ptq.Version)
	if !ok {
		return nil
	}
	var b []byte
	for _, scale := range v.Scales() {
		if v.Calibration().Float32Scales {
			b = le.AppendUint32(b, math.Float32bits(float32(scale)))
		} else {
			b = le.AppendUint64(b, math.Float64bits(scale))
		}
	}
	return appendFloats64(b, v.Offsets())
}

// packedModel is the file of a compressed model of which trees and leaf values are still to
// be read.
type packedModel struct {
	Contents Contents
	Entry    *compressionEntry
	Sections map[string][]byte
	text     int // bytes of the about part, unpacked
}

// JoinParts returns the section of these parts.
func JoinParts(parts []Section) []byte {
	total := binary.MaxVarintLen64 * len(CompressedNames)
	for _, p := range parts {
		total += len(p.Data)
	}
	b := make([]byte, 0, total)
	for _, name := range CompressedNames {
		b = binary.AppendUvarint(b, uint64(len(partNamed(parts, name))))
	}
	for _, name := range CompressedNames {
		b = append(b, partNamed(parts, name)...)
	}
	return b
}

func partNamed(parts []Section, name string) []byte {
	for _, p := range parts {
		if p.Name == name {
			return p.Data
		}
	}
	return nil
}

// SplitParts returns the parts that are not empty, in order.
func SplitParts(b []byte) ([]Section, error) {
	damaged := Errorf("the model is damaged: section %q: its parts do not make up its %d bytes", PackedSection, len(b))
	lengths := make([]uint64, len(CompressedNames))
	total, rest := uint64(0), b
	for i := range lengths {
		n := 0
		if lengths[i], n = binary.Uvarint(rest); n <= 0 || lengths[i] > uint64(len(b)) || n > 1 && rest[n-1] == 0 {
			return nil, damaged
		}
		rest = rest[n:]
		total += lengths[i]
	}
	if total != uint64(len(rest)) {
		return nil, damaged
	}
	var parts []Section
	for i, n := range lengths {
		if n > 0 {
			parts = append(parts, Section{CompressedNames[i], rest[:n:n]})
		}
		rest = rest[n:]
	}
	return parts, nil
}

// PackedParts returns the parts, and behind them the section of linear leaves, of what openContainer found to be a compressed model with this
// table of sections.
func PackedParts(data []byte, h Header, entries []SectionEntry) ([]Section, error) {
	all, err := OpenSections(data, h, entries, h.SectionsOf([]string{PackedSection}))
	if err != nil {
		return nil, err
	}
	parts, err := SplitParts(all[0])
	if len(all) > 1 && err == nil {
		parts = append(parts, Section{linearSection, all[1]})
	}
	return parts, err
}

// PackedSections returns the parts by name.
func PackedSections(data []byte, h Header, manifestText []byte) (map[string][]byte, error) {
	var man struct {
		Sections entryList `json:"sections"`
	}
	if err := json.Unmarshal(manifestText, &man); err != nil {
		return nil, Errorf("the model is damaged: its manifest cannot be read: %w", err)
	}
	parts, err := PackedParts(data, h, man.Sections)
	named := map[string][]byte{}
	for _, p := range parts {
		named[p.Name] = p.Data
	}
	return named, err
}

// OpenPacked reads what openContainer found to be a compressed model.
func OpenPacked(data []byte, h Header, manifestText []byte) (*packedModel, error) {
	sections, err := PackedSections(data, h, manifestText)
	if err != nil {
		return nil, err
	}
	text, err := packed.UnpackAbout(sections[aboutSection])
	if err != nil {
		return nil, damagedSection(aboutSection, err)
	}
	var about struct {
		manifest
		Compression *compressionEntry `json:"compression"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, damagedSection(aboutSection, err)
	}
	if about.Compression == nil || about.Sections != nil {
		return nil, damagedSection(aboutSection, errors.New("it does not say how the model is compressed"))
	}
	c := about.Contents()
	if err := packed.UnpackDictionaries(sections[dictionariesSection], c.Schema); err != nil {
		return nil, damagedSection(dictionariesSection, err)
	}
	if c.Cuts, err = packed.UnpackCuts(sections[CutsSection], c.FeatureColumns()); err != nil {
		return nil, damagedSection(CutsSection, err)
	}
	if err := c.markOrdered(about.Ordered); err != nil {
		return nil, err
	}
	if c.Outputs < 1 || c.BestRound < 0 || c.BestRound > math.MaxInt32/c.Outputs {
		return nil, damagedSection(aboutSection, fmt.Errorf("%d rounds of %d outputs", c.BestRound, c.Outputs))
	}
	return &packedModel{c, about.Compression, sections, len(text)}, nil
}

// decodeCompressed reads a compressed model whole. It finds out that the file is sound, and what boost writes, before
// it makes memory for the trees, of which thousands may be in a few bytes.
func decodeCompressed(data []byte, h Header, manifestText []byte) (c Contents, err error) {
	p, err := OpenPacked(data, h, manifestText)
	if err != nil {
		return c, err
	}
	c, sections := p.Contents, p.Sections
	if err := c.checkHead(); err != nil {
		return c, Errorf("the model is damaged: %w", err)
	}
	if !isHex(p.Entry.Source, 64) || !slices.Contains(Groupings, p.Entry.Grouping) {
		return c, damagedSection(aboutSection, fmt.Errorf("compression of model %q with grouping %q", p.Entry.Source, p.Entry.Grouping))
	}
	var kept keptTrees
	if err := p.checkTrees(&c, &kept); err != nil {
		return c, err
	}
	packedSection := JoinParts(p.parts())
	if !isAssembled(data, CompressedVersion, compressedSections(packedSection, sections[linearSection]), SectionTable) {
		return c, notCanonical()
	}
	if c.Trees = kept.trees; c.Trees == nil {
		if c.Trees, err = readTrees(sections[StructureSection], &c); err != nil {
			return c, damagedSection(StructureSection, err)
		}
	}
	if err := c.unpackLeaves(p.Entry, sections); err != nil {
		return c, damagedSection(leavesSection, err)
	}
	if err := decodeLinear(sections[linearSection], c.Trees); err != nil {
		return c, err
	}
	return c, decodeStatistics(sections[statisticsSection], c.Trees)
}

// parts returns the parts as they are.
func (p *packedModel) parts() []Section {
	var parts []Section
	for name, data := range p.Sections {
		parts = append(parts, Section{name, data})
	}
	return parts
}

func damagedSection(name string, err error) error {
	return Errorf("the model is damaged: section %q: %w", name, err)
}

// checkTrees reads the trees and all that goes with them, a few at a time, and checks that it is sound and what boost
// writes. Trees of a leaf alone cost next to nothing in the structure section: their number is bounded here, also by
// the bytes of their leaf values, of which each takes a bit at least.
func (p *packedModel) checkTrees(c *Contents, kept *keptTrees) error {
	b, leafBytes := p.Sections[StructureSection], len(p.Sections[leavesSection])+len(p.Sections[packedLeavesSection])
	count, features := c.BestRound*c.Outputs, Features(c.Cuts)
	damaged := func(err error) error { return damagedSection(StructureSection, err) }
	if count > 64*(len(b)+64) {
		return damaged(fmt.Errorf("%d trees in %d bytes", count, len(b)))
	}
	r, err := pack.NewReader(b, count, features, c.Outputs)
	if err != nil {
		return damaged(err)
	}
	nodes := r.Nodes()
	if leaves := nodes + count; leaves > 8*leafBytes {
		return damaged(fmt.Errorf("%d leaves with values of %d bytes", leaves, leafBytes))
	}
	leaves, err := newLeafCheck(p.Entry, p.Sections, c.Outputs)
	if err != nil {
		return damagedSection(leavesSection, err)
	}
	statistics, err := newStatisticsCheck(p.Sections[statisticsSection], p.Entry.Statistics, nodes, count, features)
	if err != nil {
		return damagedSection(statisticsSection, err)
	}
	var wrong error // with what belongs to the trees
	check := func(t *tree.Tree) error {
		if err := leaves.add(t); err != nil {
			wrong = damagedSection(leavesSection, err)
		} else if statistics != nil {
			if err := statistics.add(t); err != nil {
				wrong = damagedSection(statisticsSection, err)
			}
		}
		return wrong
	}
	kept.begin(count, len(b)+leafBytes)
	blocks := 0
	err = pack.Check(b, count, features, c.Outputs, func(t *tree.Tree) error {
		blocks += (t.NumLeaves() + ptq.TierBlock - 1) / ptq.TierBlock
		if !leaves.needsBlocks() {
			if err := check(t); err != nil {
				return err
			}
		}
		kept.add(t)
		return nil
	})
	if err == nil && leaves.needsBlocks() {
		if err := leaves.begin(blocks); err != nil {
			return damagedSection(leavesSection, err)
		}
		err = kept.each(count, func() (*pack.Reader, error) { return pack.NewReader(b, count, features, c.Outputs) }, check)
	}
	switch {
	case wrong != nil:
		return wrong
	case err != nil:
		return damaged(err)
	}
	if err := leaves.finish(); err != nil {
		return damagedSection(leavesSection, err)
	}
	z := *leaves.about
	if z.Certificate != nil {
		if z.Certificate, err = jsonform.CanonicalObject(z.Certificate); err != nil {
			return damagedSection(aboutSection, fmt.Errorf("certificate: %w", err))
		}
	}
	for _, part := range c.packHead(&z, p.text) {
		if !bytes.Equal(part.Data, p.Sections[part.Name]) {
			return notCanonical()
		}
	}
	return nil
}

// keptTrees keeps trees that are checked, if all are few bytes, so that they are not read twice.
type keptTrees struct {
	trees []tree.Tree // nil if there are more
	room  int         // bytes that more trees may take
}

// begin makes room for so many trees of a file of so many bytes: half of the 16 MiB, at most, that a file may take that
// is refused in the end.
func (k *keptTrees) begin(count, bytes int) {
	if k.room = min(64*bytes, 8<<20) - count*int(unsafe.Sizeof(tree.Tree{})); k.room > 0 {
		k.trees = make([]tree.Tree, 0, count)
	}
}

// add takes over the memory of a tree.
func (k *keptTrees) add(t *tree.Tree) {
	k.room -= 40*t.NumSplits() + 8*(len(t.Sets)+len(t.SetPtrs)) // 26 for a node, and what the allocator adds
	if k.room <= 0 {
		k.trees = nil
		return
	}
	k.trees = append(k.trees, *t)
	*t = tree.Tree{}
}

// each shows all trees, which a reader reads again if they were not kept.
func (k *keptTrees) each(count int, again func() (*pack.Reader, error), show func(*tree.Tree) error) error {
	for i := range k.trees {
		if err := show(&k.trees[i]); err != nil {
			return err
		}
	}
	if len(k.trees) == count {
		return nil
	}
	r, err := again()
	if err != nil {
		return err
	}
	var t tree.Tree
	for range count {
		if err := r.Next(&t); err != nil {
			return err
		}
		if err := show(&t); err != nil {
			return err
		}
	}
	return nil
}

// readTrees reads the trees of a structure section that was checked.
func readTrees(b []byte, c *Contents) ([]tree.Tree, error) {
	trees := make([]tree.Tree, c.BestRound*c.Outputs)
	r, err := pack.NewReader(b, len(trees), Features(c.Cuts), c.Outputs)
	if err != nil {
		return nil, err
	}
	for i := range trees {
		if err := r.Next(&trees[i]); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// unpackLeaves restores the leaf values and gives them to the trees.
func (c *Contents) unpackLeaves(e *compressionEntry, sections map[string][]byte) error {
	var err error
	if c.Compression, err = Restore(e, sections, LeafCounts(c.Trees), c.Outputs); err != nil {
		return err
	}
	at := 0
	for i := range c.Trees {
		c.Compression.Leaves.DecodeRange(c.Trees[i].Leaf, at)
		at += len(c.Trees[i].Leaf)
	}
	return nil
}

// Restore restores the leaf values of trees with so many leaves.
func Restore(e *compressionEntry, sections map[string][]byte, counts []int, outputs int) (*Compression, error) {
	z := &Compression{Grouping: e.Grouping, Statistics: e.Statistics, Source: e.Source, Certificate: e.Certificate}
	form, err := ptq.ParseForm(e.Form)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	groups, err := Groups(e.Grouping, counts, outputs)
	if err != nil {
		return nil, err
	}
	native := sections[leavesSection]
	if d, ok := form.DType(); ok {
		if codes, is := sections[packedLeavesSection]; is {
			if native != nil || !packed.LeavesOf(d) {
				return nil, errors.New("leaf values are there twice, or packed in a form that cannot be")
			}
			if native, err = packed.UnpackLeaves(codes, d, counts, outputs); err != nil {
				return nil, err
			}
		}
		z.Leaves, err = restoreVersion(d, e, total, groups, native, sections[scalesSection])
		return z, err
	}
	bounds, err := Groups(GroupTree, counts, outputs)
	if err != nil {
		return nil, err
	}
	z.Leaves, err = ptq.RestoreBlocks(form, total, bounds, slices.Clone(native))
	return z, err
}

func restoreVersion(d ptq.DType, e *compressionEntry, n int, groups *ptq.Groups, native, b []byte) (ptq.Values, error) {
	k, err := e.calibration(groups)
	if err != nil {
		return nil, err
	}
	s := ptq.Stored{DType: d, Len: n, Calibration: k, Native: native}
	if d.Unsigned() {
		if len(b)%8 != 0 {
			return nil, fmt.Errorf("%d bytes of scales", len(b))
		}
		half := len(b) / 16 * 8
		s.Scales, s.Offsets = floats64(b[:half]), floats64(b[half:])
	} else if e.Float32Scales {
		for _, x := range floats32(b) {
			s.Scales = append(s.Scales, float64(x))
		}
	} else if len(b) > 0 {
		s.Scales = floats64(b)
	}
	return ptq.Restore(s)
}

func (e *compressionEntry) calibration(groups *ptq.Groups) (ptq.Calibration, error) {
	method, err := ptq.ParseMethod(e.Method)
	return ptq.Calibration{Method: method, Percent: e.Percent, Scale: e.Scale, Offset: e.Offset, Groups: groups, Float32Scales: e.Float32Scales}, err
}
