package format

import (
	"encoding/json"

	"boost/dataset"
	"boost/objectives"
)

// The sections of a model file, in this order.
const (
	CutsSection         = "cuts"         // features: kinds, category codes, cuts
	dictionariesSection = "dictionaries" // levels of category columns
	StructureSection    = "structure"    // nodes of all trees
	leavesSection       = "leaves"       // leaf values
	statisticsSection   = "statistics"   // covers and gains
)

var SectionNames = []string{CutsSection, dictionariesSection, StructureSection, leavesSection, statisticsSection}

// Names of roles and kinds as the manifest writes them, by value.
var (
	roleNames = []string{dataset.Feature: "feature", dataset.LabelRole: "label", dataset.WeightRole: "weight", dataset.IDRole: "id",
		dataset.GroupRole: "group", dataset.InitScoreRole: "init_score"}
	KindNames = []string{dataset.Float32: "float32", dataset.Float64: "float64", dataset.Category: "category", dataset.Text: "text"}
)

// Manifest is the JSON object behind the header: everything but the large arrays. It
// is written by manifestOf with sorted keys and no spaces, and read into this.
type manifest struct {
	After          int             `json:"after"` // this and the next three only where they say something
	Origin         *originEntry    `json:"origin"`
	Segments       []Segment       `json:"segments"`
	Derived        []Text          `json:"derived"`
	BaseScore      []float64       `json:"base_score"`
	BestRound      int             `json:"best_round"`
	Classes        []Text          `json:"classes"` // null for regression
	Columns        []columnEntry   `json:"columns"`
	Fingerprint    string          `json:"fingerprint"`
	History        []historyEntry  `json:"history"`
	Link           Text            `json:"link"`
	Numerics       int             `json:"numerics_version"`
	NumericClasses bool            `json:"numeric_classes"`
	Objective      Text            `json:"objective"`
	Outputs        int             `json:"outputs"`
	Params         json.RawMessage `json:"params"`
	Sections       []SectionEntry  `json:"sections"`
	ValidPrints    []string        `json:"valid_fingerprints"`
	WideRounds     []WideRound     `json:"wide_rounds"`
}

// columnEntry is one column of the schema; its levels lie in the dictionaries section.
type columnEntry struct {
	Kind          string `json:"kind"`
	Name          Text   `json:"name"`
	NumericLevels bool   `json:"numeric_levels"`
	Role          string `json:"role"`
}

type historyEntry struct {
	Metric Text       `json:"metric"`
	Set    Text       `json:"set"`
	Values []*float64 `json:"values"`
}

func (c *Contents) Manifest() map[string]any {
	var classes any
	if c.Classes != nil {
		classes = List(c.Classes, func(s string) any { return Text(s).Form() })
	}
	var params any
	// normalize has read these bytes before.
	if err := DecodeNumbers(c.Params, &params); err != nil {
		panic("model: parameters are not JSON: " + err.Error())
	}
	object := map[string]any{
		"base_score":         List(c.BaseScore, func(v float64) any { return v }),
		"best_round":         c.BestRound,
		"classes":            classes,
		"columns":            List(c.Schema.Columns, columnForm),
		"fingerprint":        c.Fingerprint,
		"history":            List(c.History, historyForm),
		"link":               Text(c.Link).Form(),
		"numerics_version":   c.NumericsVersion,
		"numeric_classes":    c.NumericClasses,
		"objective":          Text(c.Objective).Form(),
		"outputs":            c.Outputs,
		"params":             params,
		"valid_fingerprints": List(c.ValidPrints, func(s string) any { return s }),
		"wide_rounds": List(c.WideRounds, func(w WideRound) any {
			form := map[string]any{"round": w.Round, "output": w.Output}
			if w.Gradients != WideI32 {
				form["gradients"] = w.Gradients
			}
			return form
		}),
	}
	if c.After > 0 {
		object["after"] = c.After
	}
	if c.Origin != nil {
		object["origin"] = c.Origin.form()
	}
	if len(c.Segments) > 0 {
		object["segments"] = List(c.Segments, segmentForm)
	}
	if len(c.Derived) > 0 {
		object["derived"] = List(c.Derived, func(form string) any { return Text(form).Form() })
	}
	return object
}

func columnForm(s dataset.ColumnSchema) any {
	return map[string]any{
		"kind": KindNames[s.Kind], "name": Text(s.Name).Form(),
		"numeric_levels": s.NumericLevels, "role": roleNames[s.Role],
	}
}

func historyForm(h History) any {
	values := List(h.Values, func(v *float64) any {
		if v == nil {
			return nil
		}
		return *v
	})
	return map[string]any{"metric": Text(h.Metric).Form(), "set": Text(h.Set).Form(), "values": values}
}

func SectionForm(e SectionEntry) any {
	return map[string]any{"name": e.Name, "offset": int(e.Offset), "length": int(e.Length), "crc32c": e.CRC}
}

// Contents returns the part of the contents that the manifest holds.
func (m *manifest) Contents() (Contents, error) {
	c := Contents{
		Objective: string(m.Objective), Link: objectives.Link(m.Link),
		Outputs: m.Outputs, BaseScore: m.BaseScore,
		NumericClasses: m.NumericClasses, Params: m.Params,
		BestRound: m.BestRound, WideRounds: m.WideRounds,
		Fingerprint: m.Fingerprint, ValidPrints: m.ValidPrints,
		NumericsVersion: m.Numerics,
		Segments:        m.Segments, After: m.After,
	}
	if o := m.Origin; o != nil {
		c.Origin = &Origin{How: o.How, Models: o.Models, Rounds: o.Rounds, Decay: o.Decay}
	}
	for _, form := range m.Derived {
		c.Derived = append(c.Derived, string(form))
	}
	if m.Classes != nil {
		c.Classes = make([]string, len(m.Classes))
		for i, name := range m.Classes {
			c.Classes[i] = string(name)
		}
	}
	for _, h := range m.History {
		c.History = append(c.History, History{Set: string(h.Set), Metric: string(h.Metric), Values: h.Values})
	}
	for _, e := range m.Columns {
		role, knownRole := indexOf(roleNames, e.Role)
		kind, knownKind := indexOf(KindNames, e.Kind)
		if !knownRole || !knownKind {
			return c, Errorf("the model is damaged: column %q has role %q and kind %q", string(e.Name), e.Role, e.Kind)
		}
		c.Schema.Columns = append(c.Schema.Columns, dataset.ColumnSchema{
			Name: string(e.Name), Role: dataset.Role(role), Kind: dataset.Kind(kind), NumericLevels: e.NumericLevels,
		})
	}
	return c, nil
}

func indexOf(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}
