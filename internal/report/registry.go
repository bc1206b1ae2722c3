package report

import (
	"io"
	"math"
	"strconv"
	"time"

	"boost/internal/format"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// RegistryEntry is a model as --json prints it. It is flat because its fields are the keys of that JSON.
type RegistryEntry struct {
	ID           string                 `json:"id"`
	SHA256       string                 `json:"sha256"`
	Rounds       int                    `json:"rounds"`
	Outputs      int                    `json:"outputs"`
	Trees        int                    `json:"trees"`
	Leaves       int                    `json:"leaves"`
	FileBytes    int64                  `json:"file_bytes"`
	Stored       int64                  `json:"stored_bytes"`
	Tier         string                 `json:"tier"`
	Bits         int                    `json:"bits"`
	Exact        bool                   `json:"exact"`
	MaxDelta     *float64               `json:"max_delta"` // of the form that it is in
	Pinned       bool                   `json:"pinned"`
	Score        uint64                 `json:"score"`
	Accesses     uint64                 `json:"accesses"`
	Created      string                 `json:"created"`
	LastAccess   string                 `json:"last_access"`
	FloorDelta   *float64               `json:"floor_max_delta"`
	FloorLoss    *float64               `json:"floor_max_loss"`
	MinBits      *int                   `json:"min_bits"` // null: it is read as it was added
	Source       string                 `json:"source"`
	Of           string                 `json:"of,omitempty"`
	Discard      bool                   `json:"discard"`
	Certificates []registry.Certificate `json:"certificates"`
}

// NewRegistryEntry returns what --json prints of a model.
func NewRegistryEntry(i *registry.Info) RegistryEntry {
	out := RegistryEntry{
		ID: i.ID, SHA256: i.SHA256, Rounds: i.Rounds, Outputs: i.Outputs, Trees: i.Trees, Leaves: i.Leaves, FileBytes: i.FileBytes, Stored: i.Stored,
		Tier: i.Tier.String(), Bits: i.Bits, Exact: i.Exact, MaxDelta: format.Finite(i.Delta), Pinned: i.Pinned, Score: i.Score, Accesses: i.Accesses,
		Created: i.Created.UTC().Format(time.RFC3339), LastAccess: i.LastAccess.UTC().Format(time.RFC3339),
		FloorDelta: format.Finite(i.Floor.MaxDelta), FloorLoss: format.Finite(i.Floor.MaxLoss), Source: i.Source, Of: i.Of, Discard: i.Discard, Certificates: i.Certificates,
	}
	if i.MinBits <= 8 {
		out.MinBits = &i.MinBits
	}
	return out
}

// RegistrySource says where a model's lossless form comes from.
func RegistrySource(i *registry.Info) string {
	switch {
	case i.Source == "":
		return "none"
	case i.Of != "":
		return i.Source + " of " + format.OneLine(i.Of)
	}
	return i.Source
}

// RegistryModels writes the list of models.
func RegistryModels(w io.Writer, all []registry.Info) error {
	rows := [][]string{{"id", "tier", "leaves", "off by", "floor", "trees", "bytes", "source", "uses"}}
	for k := range all {
		i := &all[k]
		tier, bits, off := i.Tier.String(), strconv.Itoa(i.Bits)+" bits", format.SixDigits(i.Delta)
		if i.Exact {
			bits, off = "exact", "0"
		} else if i.Tier == store.Absent {
			bits, off = "none", "gone"
		}
		if i.Pinned {
			tier += ", pinned"
		}
		floor := "none"
		switch {
		case i.MinBits > 8:
			floor = "exact"
		case !math.IsInf(i.Floor.MaxDelta, 1) || !math.IsInf(i.Floor.MaxLoss, 1):
			floor = strconv.Itoa(i.MinBits) + " bits"
		}
		rows = append(rows, []string{format.OneLine(i.ID), tier, bits, off, floor, format.Count(i.Trees), format.Count(int(i.Stored)), RegistrySource(i), format.Count(int(min(i.Accesses, math.MaxInt32)))})
	}
	return format.Table(w, rows, "lllrlrrlr")
}

// RegistrySums are the sums as --json prints them.
type RegistrySums struct {
	Models  map[string]int `json:"models"`
	Narrow  int            `json:"narrowed"`
	Cap     int64          `json:"memory_cap"`
	Floors  int64          `json:"floor_bytes"`
	Short   int64          `json:"short_bytes"`
	Warm    int64          `json:"warm_bytes"`
	OverCap int64          `json:"warm_over_cap_bytes"`
	Live    int64          `json:"live_bytes"`
	Disk    int64          `json:"disk_bytes"`
}

// NewRegistrySums returns the sums that --json prints.
func NewRegistrySums(s *registry.Stats) RegistrySums {
	out := RegistrySums{
		Models: map[string]int{}, Narrow: s.Tensors.Narrow, Cap: s.Cap, Floors: s.Floors, Short: s.Short,
		Warm: s.Tensors.Warm, OverCap: s.Tensors.OverCap, Live: s.Live, Disk: s.Disk,
	}
	for _, t := range []store.Tier{store.Hot, store.Warm, store.Cold, store.Absent} {
		out.Models[t.String()] = s.Models[t]
	}
	return out
}

// RegistryStats writes the sums.
func RegistryStats(w io.Writer, s *registry.Stats) error {
	var rows [][]string
	for _, t := range []store.Tier{store.Hot, store.Warm, store.Cold, store.Absent} {
		rows = append(rows, []string{t.String(), format.Count(s.Models[t])})
	}
	limit := "no limit"
	if s.Cap > 0 {
		limit = format.Bytes(s.Cap)
	}
	rows = append(rows, []string{"cap of memory", limit}, []string{"all models at their floors", format.Bytes(s.Floors)})
	if s.Tensors.OverCap > 0 {
		rows = append(rows, []string{"warm leaves over their cap", format.Bytes(s.Tensors.OverCap)})
	}
	rows = append(rows, []string{"records", format.Bytes(s.Live)}, []string{"files", format.Bytes(s.Disk)})
	return format.Table(w, rows, "lr")
}
