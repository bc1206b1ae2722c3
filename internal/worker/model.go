package worker

import (
	"context"
	"slices"
	"strings"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/configs"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/format"
	"boost/internal/predictions"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// modelHead is what the library needs to know of a model.
type modelHead struct {
	Model          uint32          `json:"model"`
	Objective      string          `json:"objective"`
	Label          string          `json:"label"` // several are joined; see Roles
	Features       []string        `json:"features"`
	Categorical    []bool          `json:"categorical"` // by feature
	TextLevels     []bool          `json:"text_levels"` // by feature: its levels are texts, and not numbers
	Crossed        [][]string      `json:"crossed"`     // by feature: the two that it is made of, none for one of its own
	Classes        []string        `json:"classes"`
	NumericClasses bool            `json:"numeric_classes"`
	Outputs        int             `json:"outputs"`
	OutputNames    []string        `json:"output_names"`
	Rounds         int             `json:"rounds"`
	Judged         int             `json:"judged_rounds"` // kept of the model that history is of
	Trees          int             `json:"trees"`
	History        []model.History `json:"history"`
	Plain          bool            `json:"plain"` // rows are predicted from numbers as they stand

	Roles map[string][]string `json:"roles"` // names of the columns of each role but features
}

// describe keeps a model and returns what is said of it.
func (r *request) describe(m *model.Model) modelHead {
	schema := m.Schema()
	head := modelHead{
		Model: r.server.keepModel(m), Objective: m.Objective(), Label: labelName(m), Classes: m.Classes(), NumericClasses: m.NumericClasses(),
		Outputs: m.Outputs(), OutputNames: m.OutputNames(), Rounds: m.Rounds(), Judged: m.Judged(), Trees: m.NumTrees(),
		History: m.Contents().History, Plain: plain(schema), Roles: map[string][]string{},
	}
	for _, c := range schema.Columns {
		if c.Role != dataset.Feature {
			head.Roles[c.Role.String()] = append(head.Roles[c.Role.String()], c.Name)
			continue
		}
		head.Features = append(head.Features, c.Name)
		head.Categorical = append(head.Categorical, c.Kind == dataset.Category)
		head.TextLevels = append(head.TextLevels, c.Kind == dataset.Category && !c.NumericLevels)
		head.Crossed = append(head.Crossed, append([]string{}, c.Crossed...))
	}
	return head
}

// plain reports whether all features are numbers that mean themselves: no levels, no number that stands for
// a missing value, no percents and dates.
func plain(s dataset.Schema) bool {
	return s.Written.Missing == nil && !slices.ContainsFunc(s.Columns, func(c dataset.ColumnSchema) bool {
		return c.Role == dataset.InitScoreRole || c.Role == dataset.Feature && (c.Kind == dataset.Category || c.Written != "")
	})
}

// load reads a model from the body, or from a file, whose bytes are the body of the answer.
func (r *request) load(context.Context) (any, []byte, error) {
	var head struct {
		Path string `json:"path"`
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	if head.Path == "" {
		m, err := model.Decode(r.body)
		if err != nil {
			return nil, nil, err
		}
		return r.describe(m), nil, nil
	}
	m, err := model.Load(head.Path)
	if err != nil {
		return nil, nil, err
	}
	data, err := m.Encode()
	return r.describe(m), data, err
}

// predictHead is the head of a request to predict.
type predictHead struct {
	source
	Model    uint32      `json:"model"`
	Reading  [][2]string `json:"reading"` // settings that say how the table is written
	Kind     string      `json:"kind"`    // value, raw, class, leaf, interval or contrib
	Block    *block      `json:"block"`
	Rounds   *int        `json:"rounds"`
	Every    int         `json:"every"` // of op staged
	Threads  int         `json:"threads"`
	OnUnseen string      `json:"on_unseen"`
}

// arrayHead says what numbers the body of an answer has, row-major.
type arrayHead struct {
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// options are those of a prediction of so many rows.
func (h *predictHead) options(rows int) []model.Option {
	threads := h.Threads
	if rows < 4096 || threads < 0 {
		threads = 1
	}
	options := []model.Option{model.Threads(threads)}
	if h.Rounds != nil {
		options = append(options, model.Rounds(*h.Rounds))
	}
	return options
}

// upTo returns the last round that is asked for.
func (h *predictHead) upTo(m *model.Model) int {
	if h.Rounds != nil {
		return *h.Rounds
	}
	return m.Rounds()
}

// checkRounds refuses more rounds than the model has, some of the rounds of averaged models, random forests and dropout, and those
// that the model is not calibrated for.
func (h *predictHead) checkRounds(m *model.Model, kind string) error {
	upTo := h.upTo(m)
	if n := m.Averaged(); n > 0 && (h.Every > 0 || upTo != m.Rounds()) {
		return usagef("the model has the rounds of %d models whose mean they are (train.bag_folds, train.blend), one behind the other: ask for all rounds", n)
	}
	if upTo < 0 || upTo > m.Rounds() {
		return usagef("rounds must be 0 … %d, the rounds of the model, not %d", m.Rounds(), upTo)
	}
	if err := m.Ensembles().Check(upTo, h.Every); err != nil {
		return usagef("%v", err)
	}
	return h.checkTrust(m, kind)
}

// checkTrust refuses other rounds than those that a model was calibrated for, where a kind of predictions follows from that.
func (h *predictHead) checkTrust(m *model.Model, kind string) error {
	t := m.Trust()
	if h.Every > 0 && t.ChangesValues() || h.upTo(m) != m.Rounds() && predictions.UsesTrust(t, kind) {
		return usagef("the model is calibrated for all its %d rounds, and not for fewer: ask for all rounds, or predict kind raw", m.Rounds())
	}
	return nil
}

// parseOfModel reads the head of a request about a model, which has its number, and returns the model.
func (r *request) parseOfModel(head any, number *uint32) (*keptModel, error) {
	if err := r.parse(head); err != nil {
		return nil, err
	}
	return r.server.model(*number)
}

// predict predicts rows.
func (r *request) predict(ctx context.Context) (any, []byte, error) {
	var head predictHead
	kept, err := r.parseOfModel(&head, &head.Model)
	if err != nil {
		return nil, nil, err
	}
	m := kept.Model
	if err := head.checkRounds(m, head.Kind); err != nil {
		return nil, nil, err
	}
	if head.Block != nil {
		return r.predictBlock(ctx, kept, &head)
	}
	t, rows, err := r.readInputs(ctx, m, &head)
	if err != nil {
		return nil, nil, err
	}
	shape, body, err := predictKind(ctx, m, t, head.Kind, head.options(rows))
	if err != nil {
		return nil, nil, err
	}
	if shape.Shape[0] = rows; rows == 0 {
		body = nil
	}
	return shape, body, nil
}

// predictKind predicts the rows of a table.
func predictKind(ctx context.Context, m *model.Model, t *dataset.Table, kind string, options []model.Option) (arrayHead, []byte, error) {
	rows := t.NumRows()
	switch kind {
	case "value":
		values, err := m.Predict(ctx, t, options...)
		return arrayHead{"f8", []int{rows, m.Outputs()}}, bytesOf(values), err
	case "raw":
		values, err := m.PredictRaw(ctx, t, options...)
		return arrayHead{"f8", []int{rows, m.Outputs()}}, bytesOf(values), err
	case "class":
		if m.Classes() == nil {
			return arrayHead{}, nil, usagef("the model predicts numbers, not classes")
		}
		classes, err := m.PredictClass(ctx, t, options...)
		return arrayHead{"i4", []int{rows, 1}}, bytesOf(classes), err
	case "interval":
		return predictIntervals(ctx, m, t, options)
	case "leaf":
		leaves, err := m.PredictLeaf(ctx, t, options...)
		return arrayHead{"i4", []int{rows, len(leaves) / rows}}, bytesOf(leaves), err
	case "contrib":
		parts, err := m.Contributions(ctx, t, options...)
		if err != nil {
			return arrayHead{}, nil, usagef("%v", err)
		}
		return arrayHead{"f8", []int{rows, m.Outputs(), len(m.FeatureNames()) + 1}}, bytesOf(parts), nil
	}
	return arrayHead{}, nil, usagef("kind must be value, raw, class, leaf, interval or contrib, not %q", kind)
}

// readInputs reads the rows that a model is to predict, and says what they lack. Of a table in memory without rows
// it returns one that tells the shape of predictions, and 0.
func (r *request) readInputs(ctx context.Context, m *model.Model, head *predictHead) (t *dataset.Table, rows int, err error) {
	options, err := r.readOptions(head.Reading)
	if err != nil {
		return nil, 0, err
	}
	options = append(options, dataset.As(m.Schema().Inputs()), dataset.InOrder())
	if kept, _ := r.server.table(head.Table); len(head.Files) == 0 && kept != nil && kept.rows == 0 {
		t, err = dataset.FromColumns(kept.withRow(featureNames(m.Schema())), options...)
		return t, 0, err
	}
	if t, err = r.read(ctx, &head.source, options...); err != nil {
		return nil, 0, err
	}
	return t, t.NumRows(), r.checkRows(t, m, head.OnUnseen)
}

// predictIntervals predicts bounds, rows × 2, or which classes are in the set of each row, rows × classes.
func predictIntervals(ctx context.Context, m *model.Model, t *dataset.Table, options []model.Option) (arrayHead, []byte, error) {
	switch trusted := m.Trust(); {
	case trusted == nil || trusted.Intervals == nil:
		return arrayHead{}, nil, usagef("the model has no intervals: calibrate it with some")
	case trusted.Intervals.Kind != trust.Sets:
		bounds, err := m.PredictIntervals(ctx, t, options...)
		return arrayHead{"f8", []int{t.NumRows(), 2}}, bytesOf(bounds), err
	}
	member, err := m.PredictSets(ctx, t, options...)
	body := make([]byte, len(member))
	for i, in := range member {
		if in {
			body[i] = 1
		}
	}
	return arrayHead{"b1", []int{t.NumRows(), len(m.Classes())}}, body, err
}

// predictBlock predicts a matrix of the features of a plain model, row after row.
func (r *request) predictBlock(ctx context.Context, m *keptModel, head *predictHead) (any, []byte, error) {
	b := head.Block
	if err := b.check(r.body, r.server.memory); err != nil {
		return nil, nil, err
	}
	size, width := elementSizes[b.DType], b.Shape[1]
	if width != m.features {
		return nil, nil, tablef("the rows have %d values, and the model has %d features", width, m.features)
	}
	if !m.plain || b.Strides[1] != size || b.Strides[0] != size*width || b.Address == 0 && b.At%8 != 0 {
		return nil, nil, protocolf("only rows of a model of numbers that stand one after the other can be predicted as a block")
	}
	var buffer []byte
	data, err := b.bytes(r, 0, b.Shape[0]*width*size, &buffer)
	if err != nil {
		return nil, nil, err
	}
	var values []float64
	switch b.DType {
	case "f4":
		values, err = predictValues(ctx, m, valuesOf[float32](data), head)
	case "f8":
		values, err = predictValues(ctx, m, valuesOf[float64](data), head)
	default:
		err = protocolf("a block of %s cannot be predicted", b.DType)
	}
	return arrayHead{"f8", []int{b.Shape[0], m.Outputs()}}, bytesOf(values), err
}

// fewRows are predicted one by one, which needs no preparation.
const fewRows = 32

// predictValues predicts rows that stand one after the other.
func predictValues[T float32 | float64](ctx context.Context, m *keptModel, values []T, head *predictHead) ([]float64, error) {
	rows := head.Block.Shape[0]
	one := m.PredictValues
	all := model.PredictMatrix[T]
	switch head.Kind {
	case "value":
	case "raw":
		one, all = m.PredictValuesRaw, model.PredictMatrixRaw[T]
	default:
		return nil, protocolf("a block cannot be predicted as %q", head.Kind)
	}
	if rows > fewRows || head.Rounds != nil {
		return all(ctx, m.Model, values, head.options(rows)...)
	}
	out, row := make([]float64, rows*m.Outputs()), make([]float64, m.features)
	for i := range rows {
		for j, v := range values[i*m.features : (i+1)*m.features] {
			row[j] = float64(v)
		}
		one(row, out[i*m.Outputs():(i+1)*m.Outputs()])
	}
	return out, nil
}

// staged predicts rows after every so many rounds and after the last: stages × rows × outputs.
func (r *request) staged(ctx context.Context) (any, []byte, error) {
	var head predictHead
	kept, err := r.parseOfModel(&head, &head.Model)
	if err != nil {
		return nil, nil, err
	}
	m := kept.Model
	if head.Every < 1 {
		return nil, nil, usagef("every must be 1 or more rounds, not %d", head.Every)
	}
	if head.Kind != "value" && head.Kind != "raw" {
		return nil, nil, usagef("kind must be value or raw after so many rounds, not %q", head.Kind)
	}
	if err := head.checkRounds(m, head.Kind); err != nil {
		return nil, nil, err
	}
	t, height, err := r.readInputs(ctx, m, &head)
	if err != nil {
		return nil, nil, err
	}
	var all []float64
	var rounds []int
	for stage, err := range m.Staged(ctx, t, head.Every, head.options(t.NumRows())...) {
		if err != nil {
			return nil, nil, err
		}
		values := stage.Values()
		if head.Kind == "raw" {
			values = stage.Raw()
		}
		all, rounds = append(all, values[:height*m.Outputs()]...), append(rounds, stage.Rounds())
	}
	return struct {
		arrayHead
		Rounds []int `json:"rounds"`
	}{arrayHead{"f8", []int{len(rounds), height, m.Outputs()}}, rounds}, bytesOf(all), nil
}

// importance returns the importance of all features.
func (r *request) importance(context.Context) (any, []byte, error) {
	var head struct {
		Model uint32 `json:"model"`
		Kind  string `json:"kind"`
	}
	kept, err := r.parseOfModel(&head, &head.Model)
	if err != nil {
		return nil, nil, err
	}
	m := kept.Model
	if head.Kind == "" {
		if head.Kind = string(model.ByGain); !m.HasStatistics() {
			head.Kind = string(model.BySplit)
		}
	}
	features, err := m.Importance(model.ImportanceKind(head.Kind))
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	values := make([]float64, len(features))
	for i, f := range features {
		values[i] = f.Value
	}
	return struct {
		arrayHead
		Kind string `json:"kind"`
	}{arrayHead{"f8", []int{len(values)}}, head.Kind}, bytesOf(values), nil
}

// evaluate compares predictions with the labels of a table.
func (r *request) evaluate(ctx context.Context) (any, []byte, error) {
	var head struct {
		predictHead
		Metrics []string            `json:"metrics"`
		Roles   map[string][]string `json:"roles"` // columns that the model does not know: weight
	}
	kept, err := r.parseOfModel(&head, &head.Model)
	if err != nil {
		return nil, nil, err
	}
	m := kept.Model
	if err := head.checkRounds(m, "class"); err != nil {
		return nil, nil, err
	}
	defaults, err := m.DefaultMetrics()
	if err != nil {
		return nil, nil, err
	}
	names, err := configs.ChooseMetrics(head.Metrics, defaults, objectives.MetricLink(m.Objective(), m.Link()))
	if err != nil {
		return nil, nil, err
	}
	schema := m.Schema()
	for _, name := range head.Roles["weight"] {
		schema.Columns = append(slices.Clip(schema.Columns), dataset.ColumnSchema{Name: name, Role: dataset.WeightRole, Kind: dataset.Float64})
	}
	options, err := r.readOptions(head.Reading)
	if err != nil {
		return nil, nil, err
	}
	t, err := r.read(ctx, &head.source, append(options, dataset.As(schema))...)
	if err != nil {
		return nil, nil, err
	}
	if t.LabelColumn() == nil {
		return nil, nil, tablef("there is no column %q, the label that the model predicts", labelName(m))
	}
	if err := r.checkRows(t, m, head.OnUnseen); err != nil {
		return nil, nil, err
	}
	in, err := r.metricsInput(ctx, m, t, names, head.options(t.NumRows()))
	if err != nil {
		return nil, nil, err
	}
	defer in.Pool.Close()
	list, err := metrics.List(names)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	var found []evaluation
	for i, value := range metrics.Evaluate(*in, m.Mapping(), list) {
		found = append(found, evaluation{Metric: names[i], Value: format.Finite(value)})
	}
	return struct {
		Rows    int          `json:"rows"`
		Metrics []evaluation `json:"metrics"`
	}{t.NumRows(), found}, nil, nil
}

// labelName returns the name of the label, or of several.
func labelName(m *model.Model) string { return strings.Join(m.Labels(), ", ") }

// metricsInput returns what metrics are computed from.
func (r *request) metricsInput(ctx context.Context, m *model.Model, t *dataset.Table, names []string, options []model.Option) (*metrics.Input, error) {
	if metrics.NeedQueries(names) {
		t, _ = t.ByQuery()
	}
	in, err := m.MetricInput(t, names)
	if err != nil {
		return nil, err
	}
	scores, err := m.PredictRaw(ctx, t, options...)
	if err != nil {
		return nil, err
	}
	in.Raw, in.Values = make([]float64, len(scores)), make([]float64, len(scores))
	metrics.OutputMajor(scores, in.Outputs, in.Raw)
	in.Pool, in.Threshold = parallel.NewPool(cpu.Threads()), m.Trust().PositiveAbove()
	return &in, nil
}
