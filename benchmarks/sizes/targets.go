package sizes

import "fmt"

// file returns the file of a peer, nil if there is none.
func (s *Set) file(peer, name string) *File {
	for i := range s.Peers {
		if s.Peers[i].Name != peer {
			continue
		}
		for k := range s.Peers[i].Files {
			if f := &s.Peers[i].Files[k]; f.Name == name {
				return f
			}
		}
	}
	return nil
}

// Chosen returns the form of the model which all programs trained alike that is certified to
// lose no more than a bound, nil if there is none: what boost quantize makes of it by itself,
// pruned, or without pruning where that is asked for or is all that was measured. It is not the
// smaller of the two, which would be certified twice.
func (s *Set) Chosen(bound float64, pruned bool) *Form {
	f := s.form(boundName(bound, true))
	if !pruned || f == nil {
		f = s.form(boundName(bound, false))
	}
	if f == nil || f.Short != "" {
		return nil
	}
	return f
}

// Target is what a model should reach.
type Target struct {
	Name   string
	Want   float64
	Enough float64 // with which it counts as done, though short; 0: nothing less than Want
	Most   bool    // Want is the most, not the least
	Unit   string
}

// Targets are those of the tables, in their order; Set.Reached has the figures.
var Targets = []Target{
	{Name: "text, ≤ 0.1 %", Want: 20, Enough: 10, Unit: " ×"},
	{Name: "text + zstd, ≤ 0.1 %", Want: 6, Unit: " ×"},
	{Name: "text, ≤ 0.5 %", Want: 50, Unit: " ×"},
	{Name: "bytes a leaf, not pruned", Want: 3, Most: true},
	{Name: "structure, bytes a node", Want: 4, Most: true},
}

// Met reports whether a figure reaches the target; enough, whether it counts as done at least.
func (t Target) Met(figure float64) (met, enough bool) {
	if t.Most {
		return figure <= t.Want, figure <= t.Want
	}
	return figure >= t.Want, figure >= t.Want || t.Enough > 0 && figure >= t.Enough
}

// Bound words what is asked for.
func (t Target) Bound() string {
	sign := "≥"
	if t.Most {
		sign = "≤"
	}
	text := fmt.Sprintf("%s %g%s", sign, t.Want, t.Unit)
	if t.Enough > 0 {
		text += fmt.Sprintf(" (done from %g)", t.Enough)
	}
	return text
}

// reached returns a figure for each of Targets, 0 where there is no such model.
func (s *Set) reached() []float64 {
	out := make([]float64, len(Targets))
	text := s.file(LightGBM, TextFile)
	tight, wide := s.Chosen(Tight, true), s.Chosen(Wide, true)
	if text != nil && tight != nil {
		out[0] = float64(text.Bytes) / float64(tight.File.Bytes)
		out[1] = float64(text.Zstd) / float64(tight.File.Bytes)
	}
	if text != nil && wide != nil {
		out[2] = float64(text.Bytes) / float64(wide.File.Bytes)
	}
	if f := s.Chosen(Tight, false); f != nil {
		out[3], out[4] = f.LeafBytes(), f.NodeBytes
	}
	return out
}
