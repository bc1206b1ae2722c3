package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"boost/booster"
	"boost/booster/model"
	"boost/internal/format"
	"boost/ptq/compress"
)

// Model is what inspect says about a model.
type Model struct {
	*model.Description
	file     string
	model    *model.Model
	memory   *Memory // nil for a full model
	kind     model.ImportanceKind
	features []Importance
	keys     []string
}

// NewModel describes the model of a file, its features by a kind of importance, "" for the most telling one
// that it has. Parameters are listed in the order of keys.
func NewModel(m *model.Model, file string, kind model.ImportanceKind, keys []string) (*Model, error) {
	if kind == "" {
		if kind = model.ByGain; !m.HasStatistics() {
			kind = model.BySplit
		}
	}
	r := &Model{file: file, model: m, kind: kind, keys: keys}
	var err error
	if r.features, err = importances(m, kind); err != nil {
		return nil, err
	}
	if r.Description, err = m.Describe(); err != nil {
		return nil, err
	}
	r.memory, err = memoryOf(m)
	return r, err
}

// WriteImportance writes all features, the most important first.
func (r *Model) WriteImportance(w io.Writer) error { return r.writeImportance(w, len(r.features)) }

// Importance is one feature's share in a model.
type Importance struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Share float64 `json:"share"`
}

// importances returns the features from the most to the least important.
func importances(m *model.Model, kind model.ImportanceKind) ([]Importance, error) {
	features, err := m.Importance(kind)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, f := range features {
		total += f.Value
	}
	list, at, hasCopies := make([]Importance, 0, len(features)), map[string]int{}, m.HasCrossed()
	for _, f := range features {
		name := f.Name
		if hasCopies {
			name = m.Original(name) // whose copies count as one with it
		}
		i, known := at[name]
		if !known {
			i, at[name] = len(list), len(list)
			list = append(list, Importance{Name: name})
		}
		list[i].Value += f.Value
	}
	if total > 0 {
		for i := range list {
			list[i].Share = list[i].Value / total
		}
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Value, a.Value) })
	return list, nil
}

// WriteJSON writes the report as JSON, with all trees where they are asked for.
func (r *Model) WriteJSON(w io.Writer, trees bool) error {
	out := struct {
		What string `json:"what"`
		*model.Description
		Memory         *Memory              `json:"memory,omitempty"`
		ImportanceKind model.ImportanceKind `json:"importance_kind"`
		Importance     []Importance         `json:"importance"`
		Known          map[string]Known     `json:"known_levels,omitempty"`
		Dump           []Tree               `json:"dump,omitempty"`
	}{"model", r.Description, r.memory, r.kind, r.features, nil, nil}
	if trees {
		out.Known = knownLevels(r.model)
		for i := range r.model.Contents().Trees {
			out.Dump = append(out.Dump, treeOf(r.model, i))
		}
	}
	return format.JSON(w, out)
}

// Memory is how many bytes a compressed model takes by either load: sums over all that it
// consists of.
type Memory struct {
	Fast    int64 `json:"fast"`
	Compact int64 `json:"compact"`
}

// WriteText writes the report for people.
func (r *Model) WriteText(w io.Writer) error {
	d := r.Description
	categorical, made := 0, 0
	for _, f := range d.Features {
		switch {
		case f.Of != nil:
			made++
		case f.Levels > 0:
			categorical++
		}
	}
	features := format.Counted(len(d.Features)-made, "column") + ", " + format.Count(categorical) + " of them categorical"
	if made > 0 {
		features += ", and " + format.Count(made) + " made of them"
	}
	rows := [][]string{
		{"model", format.OneLine(r.file) + "  " + format.Bytes(int64(d.Bytes))},
		{"sha256", d.SHA256},
		{"objective", d.Objective},
		{"label", format.OneLine(cmp.Or(strings.Join(d.Labels, ", "), d.Label))},
	}
	if d.Classes != nil {
		classes := oneLines(d.Classes)
		text := strings.Join(classes, ", ")
		if d.Outputs == 1 && len(classes) == 2 {
			text = classes[1] + " (positive), " + classes[0]
		}
		rows = append(rows, []string{"classes", text})
	}
	for _, role := range [][]string{{"weight", d.Weight}, {"group", d.Group}, {"position", d.Position}, {"event", d.Event}, {"label upper", d.LabelUpper},
		{"init score", strings.Join(d.InitScores, ", ")}, {"id", strings.Join(oneLines(d.ID), ", ")}} {
		if role[1] != "" {
			rows = append(rows, []string{role[0], format.OneLine(role[1])})
		}
	}
	rows = append(rows,
		[]string{"features", features},
		[]string{"trees", format.Counted(d.Trees, "tree") + " in " + format.Counted(d.Rounds, "round") + ", " + format.Count(d.Leaves) + " leaves, depth up to " + format.Count(d.Depth)},
	)
	rows = append(rows, originRows(d)...)
	rows = append(rows, compressionRows(d)...)
	rows = append(rows, trustRows(d.Trust)...)
	if r.memory != nil {
		rows = append(rows, []string{"memory", format.Bytes(r.memory.Fast) + " loaded fast, " + format.Bytes(r.memory.Compact) + " loaded compact"})
	}
	rows = append(rows,
		[]string{"data", d.Fingerprint},
		[]string{"numerics", strconv.Itoa(d.Numerics)},
	)
	for _, h := range d.History {
		rows = append(rows, []string{h.Set, h.Metric + " " + historyText(h, cmp.Or(d.Judged, d.Rounds))})
	}
	rows = append(rows, changedParams(d.Params, r.keys)...)
	if err := format.Table(w, rows, "ll"); err != nil {
		return err
	}
	if len(r.features) == 0 {
		return nil
	}
	const most = 20
	share := "\nshare of the gain of all splits\n"
	if r.kind == model.BySplit {
		share = "\nshare of all splits\n"
	}
	if _, err := io.WriteString(w, share); err != nil {
		return err
	}
	return r.writeImportance(w, most)
}

// oneLines is format.OneLine for several names.
func oneLines(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = format.OneLine(name)
	}
	return out
}

// originRows says how a model was made of others.
func originRows(d *model.Description) [][]string {
	var rows [][]string
	if d.After > 0 {
		rows = append(rows, []string{"tail", "of a model, after its first " + format.Counted(d.After, "round")})
	}
	if len(d.Derived) > 0 {
		rows = append(rows, []string{"derived", "leaf values come from a model compressed to " + strings.Join(d.Derived, ", ") + ", and are approximations"})
	}
	o := d.Origin
	if o == nil {
		return rows
	}
	how := o.How + " from"
	switch o.How {
	case model.Continued:
		how = "continued after " + format.Counted(o.Rounds, "round") + " of"
	case model.Refitted:
		how = "refitted with decay " + strconv.FormatFloat(o.Decay, 'g', -1, 64) + " from"
	}
	for _, sum := range o.Models {
		rows = append(rows, []string{how, sum})
		how = ""
	}
	for _, s := range d.Segments {
		rows = append(rows, []string{"in " + format.Counted(s.Rounds, "round"), string(s.Params)})
	}
	return rows
}

// compressionRows says how a compressed model keeps its leaf values.
func compressionRows(d *model.Description) [][]string {
	z := d.Compression
	if z == nil {
		return nil
	}
	how := z.Form + ", " + z.Calibration
	if z.Calibration == "" {
		how = z.Form
	}
	rows := [][]string{
		{"leaf values", how},
		{"compressed from", z.Source},
	}
	if !z.Statistics {
		rows = append(rows, []string{"statistics", "left out: no covers and gains"})
	}
	return append(rows, certificateRows(z.Certificate)...)
}

// certificateRows says what a compression costs.
func certificateRows(text json.RawMessage) [][]string {
	var c compress.Certificate
	if text == nil || json.Unmarshal(text, &c) != nil {
		return nil
	}
	var rows [][]string
	if c.LeavesBefore > 0 {
		rows = append(rows, []string{"pruned", "there were " + format.Count(c.LeavesBefore) + " leaves"})
	}
	switch {
	case c.Method == compress.ByBootstrap:
		rows = append(rows, []string{"certified", fmt.Sprintf("%s %s, before %s, on %s; worse by at most %s with %.4g %% confidence",
			c.Metric, format.Metric(c.After), format.Metric(c.Before), format.Counted(c.Rows, "row"), format.Share(c.LossBound), 100*c.Confidence)})
		if c.Reference != "" {
			rows = append(rows, []string{"", "before is model " + c.Reference})
		}
	case c.Metric != "":
		rows = append(rows, []string{"measured", fmt.Sprintf("%s %s, before %s, on %s", c.Metric, format.Metric(c.After), format.Metric(c.Before), format.Counted(c.Rows, "row"))})
	default:
		rows = append(rows, []string{"certified", "what the metric loses is not known"})
	}
	if c.TrainingData {
		rows = append(rows, []string{"", "these are rows that the model was trained on"})
	}
	if words := MarkedLevels(&c); words != "" {
		rows = append(rows, []string{"levels", words})
	}
	bounds := make([]string, len(c.RawBound))
	for i, bound := range c.RawBound {
		bounds[i] = format.Significant(bound, 3)
	}
	return append(rows, []string{"raw scores", "± " + strings.Join(bounds, ", ± ")})
}

// historyText words how a metric went.
func historyText(h model.History, best int) string {
	var first, kept *float64
	for i, v := range h.Values {
		if v == nil {
			continue
		}
		if first == nil {
			first = v
		}
		if i < best {
			kept = v
		}
	}
	if first == nil || kept == nil {
		return "undefined"
	}
	return format.Metric(*kept) + ", after the first round " + format.Metric(*first) + ", " + format.Counted(len(h.Values), "round") + " in all"
}

// changedParams lists the parameters that are not at their default, in the order of keys.
func changedParams(stored json.RawMessage, keys []string) [][]string {
	var have, usual map[string]json.RawMessage
	defaults, err := booster.Defaults().ModelParams()
	if err != nil || json.Unmarshal(stored, &have) != nil || json.Unmarshal(defaults, &usual) != nil {
		return nil
	}
	var rows [][]string
	for _, k := range keys {
		v, ok := have[k]
		if ok && k != "train.objective" && string(v) != string(usual[k]) {
			rows = append(rows, []string{k, string(v)})
		}
	}
	return rows
}

// writeImportance writes features with their share as a bar.
func (r *Model) writeImportance(w io.Writer, most int) error {
	features := r.features
	const width = 30
	rows := make([][]string, 0, len(features))
	for i, f := range features {
		if i == most {
			break
		}
		bar := ""
		// A damaged model may have negative gains, and sums of covers that are infinite.
		if part := f.Value / features[0].Value; features[0].Value > 0 && part > 0 {
			bar = strings.Repeat("█", int(part*width+0.5))
		}
		rows = append(rows, []string{format.OneLine(f.Name), format.Metric(f.Value), strconv.FormatFloat(100*f.Share, 'f', 1, 64) + " %", bar})
	}
	if err := format.Table(w, rows, "lrrl"); err != nil || len(features) <= most {
		return err
	}
	_, err := io.WriteString(w, "and "+format.Counted(len(features)-most, "feature")+" more: boost inspect MODEL --importance "+string(r.kind)+"\n")
	return err
}

// memoryOf returns nil for a model that is no Compact.
func memoryOf(m *model.Model) (*Memory, error) {
	if m.Compressed() == nil || m.HasLinear() { // such are not read one tree at a time
		return nil, nil
	}
	data, err := m.Encode() // its file may be in JSON
	if err != nil {
		return nil, err
	}
	c, err := model.DecodeCompact(data)
	if err != nil {
		return nil, err
	}
	return &Memory{m.Memory(), c.Memory()}, nil
}
