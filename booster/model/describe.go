package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"boost/binning"
	"boost/booster/model/internal/format"
	"boost/booster/trust"
	"boost/dataset"
	"boost/ptq"
)

// Description is what there is to say about a model, in a form that marshals to JSON.
// It is flat because its fields are the keys of that JSON, which scripts read.
type Description struct {
	Format    int       `json:"format"` // version of the file format
	Numerics  int       `json:"numerics_version"`
	Objective string    `json:"objective"`
	Link      string    `json:"link"`
	Outputs   int       `json:"outputs"`
	BaseScore []float64 `json:"base_score"`
	Classes   []string  `json:"classes,omitempty"`

	Rounds int `json:"rounds"`                  // kept
	Judged int `json:"judged_rounds,omitempty"` // of them, those of the first model, which the history is of, where the model is the mean of several
	Trees  int `json:"trees"`
	Splits int `json:"splits"`
	Leaves int `json:"leaves"`
	Depth  int `json:"depth"` // of the deepest tree

	Label      string               `json:"label,omitempty"`
	Labels     []string             `json:"labels,omitempty"` // where there are several, in the order of the outputs
	Weight     string               `json:"weight,omitempty"`
	Group      string               `json:"group,omitempty"`
	Position   string               `json:"position,omitempty"`
	Event      string               `json:"event,omitempty"`
	LabelUpper string               `json:"label_upper,omitempty"`
	InitScores []string             `json:"init_score,omitempty"`
	ID         []string             `json:"id,omitempty"`
	Features   []FeatureDescription `json:"features"`

	Params      json.RawMessage         `json:"params"`
	Origin      *OriginDescription      `json:"origin,omitempty"`
	Derived     []string                `json:"derived,omitempty"`  // see Model.Derived; nil for a compressed model made of a full one
	Segments    []Segment               `json:"segments,omitempty"` // of the first rounds, where their parameters were others
	Compression *CompressionDescription `json:"compression,omitempty"`
	Trust       *TrustDescription       `json:"trust,omitempty"`
	After       int                     `json:"after,omitempty"` // rounds of which the model is the tail
	History     []History               `json:"history"`
	WideRounds  []WideRound             `json:"wide_rounds,omitempty"`

	Fingerprint string   `json:"fingerprint"`
	ValidPrints []string `json:"valid_fingerprints,omitempty"`

	Sections []SectionDescription `json:"sections"`
	Bytes    int                  `json:"bytes"`
	SHA256   string               `json:"sha256"`
}

// OriginDescription says how a model was made of others; see Origin.
type OriginDescription struct {
	How    string   `json:"how"`
	Models []string `json:"models"` // sha256
	Rounds int      `json:"rounds,omitempty"`
	Decay  float64  `json:"decay,omitempty"`
	Whole  int      `json:"whole,omitempty"`
	Tables []string `json:"tables,omitempty"` // fingerprints
}

// CompressionDescription says how a compressed model keeps its leaf values; see Compression.
type CompressionDescription struct {
	Form        string          `json:"form"`
	Grouping    string          `json:"grouping"`
	Calibration string          `json:"calibration,omitempty"` // of data types
	LeafBytes   int64           `json:"leaf_bytes"`            // of codes and scales
	Statistics  bool            `json:"statistics"`
	Source      string          `json:"source"` // sha256
	Certificate json.RawMessage `json:"certificate,omitempty"`
}

// TrustDescription says how a model was calibrated; see trust.Trust.
type TrustDescription struct {
	Rows        int           `json:"rows"` // of the table that it was calibrated on
	Fingerprint string        `json:"fingerprint"`
	Calibration trust.Method  `json:"calibration,omitempty"` // of probabilities
	Threshold   float64       `json:"threshold,omitempty"`
	Intervals   trust.Kind    `json:"intervals,omitempty"`
	Level       float64       `json:"level,omitempty"`  // share of rows that intervals cover
	Margin      float64       `json:"margin,omitempty"` // of rows of no group
	By          string        `json:"by,omitempty"`
	Groups      []GroupMargin `json:"groups,omitempty"`
}

// GroupMargin is the margin of the rows with one value of a column.
type GroupMargin struct {
	Value  *string `json:"value"` // null for rows without a value
	Margin float64 `json:"margin"`
}

func describeTrust(t *trust.Trust) *TrustDescription {
	if t == nil {
		return nil
	}
	d := &TrustDescription{Rows: t.Rows, Fingerprint: t.Fingerprint, Threshold: t.Threshold}
	if t.Calibration != nil {
		d.Calibration = t.Calibration.Method
	}
	if v := t.Intervals; v != nil {
		d.Intervals, d.Level, d.Margin, d.By = v.Kind, v.Level, v.Margin, v.By
		for _, g := range v.Groups {
			of := GroupMargin{Margin: g.Margin}
			if !g.Missing {
				of.Value = &g.Value
			}
			d.Groups = append(d.Groups, of)
		}
	}
	return d
}

func describeCompression(z *Compression) *CompressionDescription {
	if z == nil {
		return nil
	}
	d := &CompressionDescription{
		Form: z.Leaves.Form().String(), Grouping: z.Grouping, LeafBytes: z.Leaves.NativeBytes() + z.Leaves.ScaleBytes(),
		Statistics: z.Statistics, Source: z.Source, Certificate: z.Certificate,
	}
	if v, ok := z.Leaves.(*ptq.Version); ok {
		d.Calibration = v.Calibration().String()
	}
	return d
}

// FeatureDescription is one feature of a Description.
type FeatureDescription struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`             // "float32", "float64" or "category"
	Levels int    `json:"levels,omitempty"` // of the dictionary
	// Of are the features that it is made of: one or two, nil for a column of the table.
	Of []string `json:"of,omitempty"`
	// Ordered reports whether splits go by an order of the levels, instead of sets of them.
	Ordered bool     `json:"ordered,omitempty"`
	Cuts    int      `json:"cuts,omitempty"`
	Codes   int      `json:"codes"`   // the missing code included
	Gaps    bool     `json:"missing"` // had missing values in training
	Splits  int      `json:"splits"`
	Gain    *float64 `json:"gain"` // total of its splits; null where a tree has no statistics
}

// SectionDescription is one section of the model's file.
type SectionDescription struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	CRC32C string `json:"crc32c"`
}

// Describe says what is in the model and how large its file is.
func (m *Model) Describe() (*Description, error) {
	data, err := m.Encode()
	if err != nil {
		return nil, err
	}
	file, err := openParts(data)
	if err != nil {
		return nil, err
	}
	c := m.contents
	sum := sha256.Sum256(data)
	d := &Description{
		Format: file.version, Numerics: c.NumericsVersion,
		Objective: c.Objective, Link: string(c.Link), Outputs: c.Outputs,
		BaseScore: c.BaseScore, Classes: c.Classes,
		Rounds: c.BestRound, Trees: len(c.Trees),
		Params: c.Params, History: c.History, WideRounds: c.WideRounds,
		Fingerprint: c.Fingerprint, ValidPrints: c.ValidPrints,
		Bytes: len(data), SHA256: hex.EncodeToString(sum[:]),
		Segments: c.Segments, After: c.After, Derived: c.Derived, Compression: describeCompression(c.Compression),
		Trust: describeTrust(c.Trust),
	}
	if judged := m.Judged(); judged != c.BestRound {
		d.Judged = judged
	}
	if o := c.Origin; o != nil {
		d.Origin = &OriginDescription{How: o.How, Models: o.Models, Rounds: o.Rounds, Decay: o.Decay, Whole: o.Whole, Tables: o.Tables}
	}
	for i := range c.Trees {
		d.Splits += c.Trees[i].NumSplits()
		d.Leaves += c.Trees[i].NumLeaves()
		d.Depth = max(d.Depth, c.Trees[i].Depth())
	}
	for _, e := range file.entries {
		d.Sections = append(d.Sections, SectionDescription{e.Name, int(e.Length), e.CRC})
	}
	m.describeColumns(d)
	return d, nil
}

func (m *Model) describeColumns(d *Description) {
	c := m.contents
	if labels := c.Labels(); len(labels) > 1 {
		d.Labels = labels
	}
	for i := range c.Schema.Columns {
		switch s := &c.Schema.Columns[i]; s.Role {
		case dataset.LabelRole:
			if d.Label == "" {
				d.Label = s.Name
			}
		case dataset.WeightRole:
			d.Weight = s.Name
		case dataset.GroupRole:
			d.Group = s.Name
		case dataset.PositionRole:
			d.Position = s.Name
		case dataset.EventRole:
			d.Event = s.Name
		case dataset.UpperRole:
			d.LabelUpper = s.Name
		case dataset.InitScoreRole:
			d.InitScores = append(d.InitScores, s.Name)
		case dataset.IDRole:
			d.ID = append(d.ID, s.Name)
		}
	}
	d.Features = make([]FeatureDescription, len(c.Cuts.Features))
	statistics := m.HasStatistics()
	for f, column := range c.FeatureColumns() {
		feature := &c.Cuts.Features[f]
		d.Features[f] = FeatureDescription{
			Name: feature.Name, Kind: format.KindNames[column.Kind],
			Codes: int(feature.NCodes()), Gaps: feature.HasMissing, Of: column.Crossed,
		}
		if statistics {
			d.Features[f].Gain = new(float64)
		}
		if feature.Kind == binning.Categorical {
			d.Features[f].Levels, d.Features[f].Ordered = len(column.Levels), feature.Ordered
		} else {
			d.Features[f].Cuts = len(c.Cuts.Of32(f)) + len(c.Cuts.Of64(f))
		}
	}
	for i := range c.Trees {
		for n, f := range c.Trees[i].Feature {
			d.Features[f].Splits++
			if gain := d.Features[f].Gain; gain != nil {
				*gain += float64(c.Trees[i].Gain[n])
			}
		}
	}
}
