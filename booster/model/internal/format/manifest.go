package format

import (
	"encoding/json"
	"strconv"

	"boost/binning"
	"boost/booster/model/internal/jsonform"
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
		dataset.GroupRole: "group", dataset.InitScoreRole: "init_score", dataset.EventRole: "event", dataset.UpperRole: "label_upper", dataset.PositionRole: "position"}
	KindNames = []string{dataset.Float32: "float32", dataset.Float64: "float64", dataset.Category: "category", dataset.Text: "text"}
)

// Manifest is the JSON object behind the header: everything but the large arrays. It is flat because its fields are the keys of the object. It
// is written by manifestOf with sorted keys and no spaces, and read into this.
type manifest struct {
	After          int             `json:"after"` // this and the next three only where they say something
	Origin         *originEntry    `json:"origin"`
	Segments       segmentList     `json:"segments"`
	Derived        textList        `json:"derived"`
	BaseScore      numberList      `json:"base_score"`
	BestRound      int             `json:"best_round"`
	Classes        textList        `json:"classes"` // null for regression
	Columns        columnList      `json:"columns"`
	Fingerprint    string          `json:"fingerprint"`
	History        historyList     `json:"history"`
	Link           jsonform.Text   `json:"link"`
	Numerics       int             `json:"numerics_version"`
	NumericClasses bool            `json:"numeric_classes"`
	Objective      jsonform.Text   `json:"objective"`
	Ordered        textList        `json:"ordered"` // categorical features whose codes splits go by; only where there are such
	Outputs        int             `json:"outputs"`
	Params         json.RawMessage `json:"params"`
	Sections       entryList       `json:"sections"`
	Trust          *trustEntry     `json:"trust"` // only where there is something
	ValidPrints    printList       `json:"valid_fingerprints"`
	WideRounds     wideList        `json:"wide_rounds"`
	Written        *writtenEntry   `json:"written"` // only where it says something
}

// columnEntry is one column of the schema; its levels lie in the dictionaries section.
type columnEntry struct {
	Kind          string          `json:"kind"`
	Name          jsonform.Text   `json:"name"`
	NumericLevels bool            `json:"numeric_levels"`
	Role          string          `json:"role"`
	Written       jsonform.Text   `json:"written"` // only where numbers were not written plainly
	Crossed       []jsonform.Text `json:"crossed"` // only of a crossed column
	Dates         bool            `json:"dates"`   // only where it is true
}

type historyEntry struct {
	Metric jsonform.Text `json:"metric"`
	Set    jsonform.Text `json:"set"`
	Values valueText     `json:"values"`
}

func (c *Contents) Manifest() map[string]any {
	var classes any
	if c.Classes != nil {
		classes = jsonform.Lazy(c.Classes, jsonform.AppendText)
	}
	object := map[string]any{
		"base_score":         jsonform.Lazy(c.BaseScore, jsonform.AppendNumber),
		"best_round":         c.BestRound,
		"classes":            classes,
		"columns":            jsonform.Lazy(c.Schema.Columns, appendColumn),
		"fingerprint":        c.Fingerprint,
		"history":            jsonform.Lazy(c.History, appendHistory),
		"link":               jsonform.Text(c.Link).Form(),
		"numerics_version":   c.NumericsVersion,
		"numeric_classes":    c.NumericClasses,
		"objective":          jsonform.Text(c.Objective).Form(),
		"outputs":            c.Outputs,
		"params":             c.Params, // normalize has written them
		"valid_fingerprints": jsonform.Lazy(c.ValidPrints, jsonform.AppendString),
		"wide_rounds":        jsonform.Lazy(c.WideRounds, appendWideRound),
	}
	if c.After > 0 {
		object["after"] = c.After
	}
	if !c.Schema.Written.IsUsual() {
		object["written"] = writtenForm(&c.Schema.Written)
	}
	if c.Trust != nil {
		object["trust"] = trustForm(c.Trust)
	}
	if c.Origin != nil {
		object["origin"] = c.Origin.form()
	}
	if len(c.Segments) > 0 {
		object["segments"] = jsonform.List(c.Segments, segmentForm)
	}
	if ordered := c.ordered(); len(ordered) > 0 {
		object["ordered"] = jsonform.List(ordered, func(name string) any { return jsonform.Text(name).Form() })
	}
	if len(c.Derived) > 0 {
		object["derived"] = jsonform.List(c.Derived, func(form string) any { return jsonform.Text(form).Form() })
	}
	return object
}

// ordered returns the names of the ordered features, in the features' order.
func (c *Contents) ordered() (names []string) {
	for f := range c.Cuts.Features {
		if feature := &c.Cuts.Features[f]; feature.Ordered {
			names = append(names, feature.Name)
		}
	}
	return names
}

// markOrdered marks the features of these names, which come in the features' order, as ordered.
func (c *Contents) markOrdered(names []string) error {
	for f := range c.Cuts.Features {
		feature := &c.Cuts.Features[f]
		if len(names) == 0 || feature.Name != names[0] {
			continue
		}
		if feature.Kind != binning.Categorical {
			return Errorf("the model is damaged: the levels of feature %q, which has none, are in order", feature.Name)
		}
		feature.Ordered, names = true, names[1:]
	}
	if len(names) > 0 {
		return Errorf("the model is damaged: there is no feature %q whose levels are in order, or it stands elsewhere", names[0])
	}
	return nil
}

// Keys are written in the order of their bytes.

func appendColumn(b []byte, s dataset.ColumnSchema) []byte {
	b = append(b, '{')
	if s.Crossed != nil {
		b = append(jsonform.Lazy(s.Crossed, jsonform.AppendText)(append(b, `"crossed":`...)), ',')
	}
	if s.Dates {
		b = append(b, `"dates":true,`...)
	}
	b = append(append(append(b, `"kind":"`...), KindNames[s.Kind]...), `","name":`...)
	b = append(jsonform.AppendText(b, s.Name), `,"numeric_levels":`...)
	b = append(strconv.AppendBool(b, s.NumericLevels), `,"role":"`...)
	b = append(append(b, roleNames[s.Role]...), '"')
	if s.Written != "" {
		b = jsonform.AppendText(append(b, `,"written":`...), s.Written)
	}
	return append(b, '}')
}

func appendHistory(b []byte, h History) []byte {
	b = jsonform.AppendText(append(b, `{"metric":`...), h.Metric)
	b = jsonform.AppendText(append(b, `,"set":`...), h.Set)
	if h.text != nil {
		return append(h.text.appendTo(append(b, `,"values":`...)), '}')
	}
	b = jsonform.Lazy(h.Values, func(b []byte, v *float64) []byte {
		if v == nil {
			return append(b, "null"...)
		}
		return jsonform.AppendNumber(b, *v)
	})(append(b, `,"values":`...))
	return append(b, '}')
}

func appendWideRound(b []byte, w WideRound) []byte {
	b = append(b, '{')
	if w.Gradients != WideI32 {
		b = append(jsonform.AppendString(append(b, `"gradients":`...), w.Gradients), ',')
	}
	b = strconv.AppendInt(append(b, `"output":`...), int64(w.Output), 10)
	b = strconv.AppendInt(append(b, `,"round":`...), int64(w.Round), 10)
	return append(b, '}')
}

func SectionForm(e SectionEntry) any {
	return map[string]any{"name": e.Name, "offset": int(e.Offset), "length": int(e.Length), "crc32c": e.CRC}
}

// Contents returns the part of the contents that the manifest holds.
func (m *manifest) Contents() Contents {
	c := Contents{
		Objective: string(m.Objective), Link: objectives.Link(m.Link),
		Outputs: m.Outputs, BaseScore: m.BaseScore,
		NumericClasses: m.NumericClasses, Params: m.Params,
		BestRound: m.BestRound, WideRounds: m.WideRounds,
		Fingerprint: m.Fingerprint, ValidPrints: m.ValidPrints,
		NumericsVersion: m.Numerics,
		Segments:        m.Segments, After: m.After, Trust: m.Trust.contents(),
		Classes: m.Classes, Derived: m.Derived, History: m.History, Schema: dataset.Schema{Columns: m.Columns, Written: m.Written.contents()},
	}
	if o := m.Origin; o != nil {
		c.Origin = &Origin{How: o.How, Models: o.Models, Rounds: o.Rounds, Decay: o.Decay, Whole: o.Whole, Tables: o.Tables}
	}
	return c
}

func indexOf(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}
