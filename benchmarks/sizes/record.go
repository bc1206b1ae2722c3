package sizes

import (
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// File is a file and what a general compressor makes of it.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Zstd  int64  `json:"zstd_bytes"`
}

// Peer is another program's model.
type Peer struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"`
	Loss    float64 `json:"loss"` // on the test rows
	Trees   int     `json:"trees"`
	Leaves  int     `json:"leaves"`
	Files   []File  `json:"files"`
}

// Parts are the bytes of a file of boost's by what they are for.
type Parts struct {
	Structure    int64 `json:"structure"`
	Leaves       int64 `json:"leaves"` // with scales
	Cuts         int64 `json:"cuts"`
	Dictionaries int64 `json:"dictionaries"`
	Statistics   int64 `json:"statistics"`
	About        int64 `json:"about"`     // schema, parameters, history, certificate
	Container    int64 `json:"container"` // header, section table, gaps, checksum
}

// Certified is what a certificate says.
type Certified struct {
	Rows       int     `json:"rows"` // none of them searched on
	Metric     string  `json:"metric"`
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	Bound      float64 `json:"loss_bound"`
	Confidence float64 `json:"confidence"`
}

// Form is boost's model in one of its forms.
type Form struct {
	Name    string  `json:"name"`
	MaxLoss float64 `json:"max_loss,omitempty"` // that was asked for
	Pruned  bool    `json:"pruned,omitempty"`
	Commit  string  `json:"commit"`
	Short   string  `json:"short,omitempty"` // why there is no such model; then there is nothing else

	Format    string     `json:"format,omitempty"` // of leaf values
	File      File       `json:"file"`
	Parts     Parts      `json:"parts"`
	Leaves    int        `json:"leaves"`           // in the file
	Merged    int        `json:"merged,omitempty"` // leaves of the model that the file leaves out, as no prediction needs them
	Nodes     int        `json:"nodes"`            // split nodes in the file
	NodeBytes float64    `json:"bytes_a_node"`     // packed: shape, feature, code, direction
	SetBytes  float64    `json:"set_bytes_a_node"` // packed: category sets
	Certified *Certified `json:"certified,omitempty"`
	Seconds   float64    `json:"seconds"` // of the search
}

// Whole is the number of leaves before those that no prediction needs were left out.
func (f *Form) Whole() int { return f.Leaves + f.Merged }

// LeafBytes is the bytes a leaf of the model, all in, whether or not the file has that leaf.
func (f *Form) LeafBytes() float64 { return float64(f.File.Bytes) / float64(f.Whole()) }

// Set is one data set and the models of it.
type Set struct {
	Name        string `json:"name"`
	Metric      string `json:"metric"`
	Rows        int    `json:"rows"` // for training
	TestRows    int    `json:"test_rows"`
	Columns     int    `json:"columns"`
	Categorical int    `json:"categorical"`
	Rounds      int    `json:"rounds"`
	Leaves      int    `json:"leaves"` // a tree, at most

	Peers []Peer `json:"peers"`

	Commit string  `json:"commit"` // of the program that made Ours
	Loss   float64 `json:"loss"`   // of boost's full model on the test rows
	Ours   []Form  `json:"ours"`
}

// Record is everything that was measured. It is saved after each model.
type Record struct {
	Machine harness.Machine `json:"machine"`
	Command string          `json:"command"`
	Zstd    string          `json:"zstd"`
	Threads int             `json:"threads"`
	Sets    []*Set          `json:"sets"`
}

// Open reads the record at path. Bytes are the same on every machine, so that what another one
// found stays; what another compressor made of files does not. A file that is not there holds nothing.
func Open(path string, fresh Record) (*Record, error) {
	var old Record
	if err := harness.Read(path, &old); err != nil {
		return nil, err
	}
	if old.Zstd == fresh.Zstd {
		fresh.Sets = old.Sets
	}
	return &fresh, nil
}

// Set returns what is known of a set with these settings, nothing at first.
func (r *Record) Set(about Set) *Set {
	i := slices.IndexFunc(r.Sets, func(s *Set) bool { return s.Name == about.Name })
	if i < 0 {
		r.Sets = append(r.Sets, &about)
		slices.SortFunc(r.Sets, func(a, b *Set) int { return strings.Compare(a.Name, b.Name) })
		return &about
	}
	old := r.Sets[i]
	if old.Rounds != about.Rounds || old.Leaves != about.Leaves || old.Rows != about.Rows {
		r.Sets[i] = &about
		return &about
	}
	old.Commit = about.Commit
	return old
}

// Save writes the record; a program that is ended meanwhile leaves the file of before.
func (r *Record) Save(path string) error { return harness.Write(path, r) }
