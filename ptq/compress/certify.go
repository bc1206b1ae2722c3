package compress

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/detmath"
	"boost/internal/rng"
	"boost/objectives/metrics"
	"boost/parallel"
)

// Certificate says what a compressed model costs. The manifest of its file holds it as JSON.
type Certificate struct {
	// Method is ByBootstrap or ByLeaves.
	Method string `json:"method"`
	// RawBound is for each output what no raw score changes by more than, whatever the row,
	// where scores are sums of real numbers: the sum over its trees of the largest
	// |leaf − stored leaf| (S3.60). Of a pruned tree the differences are those between a
	// stored leaf and the leaves that its rows had before, and what they have in common cancels out over the
	// trees.
	RawBound []float64 `json:"raw_bound,omitempty"`
	// LeavesBefore is the number of leaves of the model before it was pruned; 0: it was not.
	LeavesBefore int `json:"leaves_before,omitempty"`

	// Marked are the categorical features of which marks stand for some of the levels that training had:
	// once in 4,096 a level that it had not is taken for one of these, and goes another way than in the full
	// model. RawBound is not of rows with such a level; all figures of rows are.
	Marked []string `json:"marked,omitempty"`

	// Feedback reports whether errors of stored leaves were pushed forward to later trees.
	Feedback bool `json:"feedback,omitempty"`

	// What a table shows; absent without one. Data is the fingerprint of all of it.
	Data string `json:"data,omitempty"`
	// TrainingData reports whether the model was trained on these rows: then the figures say
	// nothing of others.
	TrainingData bool `json:"training_data,omitempty"`
	// Rows is how many rows the figures are of, none of which the search has seen.
	Rows   int    `json:"rows,omitempty"`
	Metric string `json:"metric,omitempty"`
	// Reference is the sha256 of the model that Before, LossBound, MaxRaw and MaxPrediction
	// speak of, where that is not the one that was compressed.
	Reference string `json:"reference,omitempty"`
	// Before and After are the metric of the full and of the compressed model.
	Before float64 `json:"before,omitempty"`
	After  float64 `json:"after,omitempty"`
	// LossBound is what (After − Before)/|Before| stays below with Confidence: the
	// percentile of a paired bootstrap of Resamples resamples. It is infinite, and absent in JSON, where Before is 0.
	LossBound  float64 `json:"loss_bound,omitempty"`
	Confidence float64 `json:"confidence,omitempty"`
	Resamples  int     `json:"resamples,omitempty"`
	// MaxRaw and MaxPrediction are the largest |differences| on these rows.
	MaxRaw        float64 `json:"max_raw,omitempty"`
	MaxPrediction float64 `json:"max_prediction,omitempty"`
}

// Values of Certificate.Method.
const (
	ByBootstrap = "paired bootstrap"
	ByLeaves    = "leaf errors"
)

// Loss is the relative change of the metric, (After − Before)/|Before|.
func (c *Certificate) Loss() float64 { return relative(c.Before, c.After) }

// JSON returns the certificate as a manifest holds it. A certificate whose figures are not
// finite is an error.
func (c *Certificate) JSON() (json.RawMessage, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("the certificate cannot be written: %w", err)
	}
	return text, nil
}

// MarshalJSON leaves out the figures of rows where there is no table, and else gives those that are 0 too.
func (c *Certificate) MarshalJSON() ([]byte, error) {
	type plain Certificate
	form := struct {
		*plain                 // its fields of the names below are left out
		Before        *float64 `json:"before,omitempty"`
		After         *float64 `json:"after,omitempty"`
		LossBound     *float64 `json:"loss_bound,omitempty"`
		MaxRaw        *float64 `json:"max_raw,omitempty"`
		MaxPrediction *float64 `json:"max_prediction,omitempty"`
	}{plain: (*plain)(c)}
	if c.Method == ByBootstrap {
		form.Before, form.After, form.MaxRaw, form.MaxPrediction = &c.Before, &c.After, &c.MaxRaw, &c.MaxPrediction
		if !math.IsInf(c.LossBound, 1) {
			form.LossBound = &c.LossBound
		}
	}
	return json.Marshal(form)
}

// CertificateOf returns the certificate of a compressed model, nil if it has none. A damaged
// one is an error.
func CertificateOf(m *model.Model) (*Certificate, error) {
	z := m.Compressed()
	if z == nil || z.Certificate == nil {
		return nil, nil
	}
	c := &Certificate{}
	if err := json.Unmarshal(z.Certificate, c); err != nil {
		return nil, fmt.Errorf("the certificate of the model cannot be read: %w", err)
	}
	if c.Method == ByBootstrap && c.Before == 0 && c.After != 0 {
		c.LossBound = math.Inf(1)
	}
	return c, nil
}

// Halves returns which rows of a table a search may see, and which certify what it found: a row
// belongs to the second half if its draw, a function of its number alone, is below one half;
// rows of a query stay together.
func Halves(t *dataset.Table) (search, certify []int32, err error) {
	groups, err := t.Groups()
	if err != nil {
		return nil, nil, err
	}
	key := rng.Key(0, rng.Halves, 0, 0)
	put := func(number uint64, lo, hi int) {
		for row := lo; row < hi; row++ {
			if rng.Draw(key, number)>>63 == 0 {
				certify = append(certify, int32(row))
			} else {
				search = append(search, int32(row))
			}
		}
	}
	if groups == nil {
		for row := range t.NumRows() {
			put(uint64(row), row, row+1)
		}
		return search, certify, nil
	}
	for q := range len(groups) - 1 {
		put(uint64(q), groups[q], groups[q+1])
	}
	return search, certify, nil
}

// half is rows on which models are compared with the full one.
type half struct {
	judge  *judge
	metric metrics.ByRow
	full   judged
	before [][]float64 // by label: losses of the full model, times the weights of their rows
	weight []float64   // by row

	resamples int        // how many a bound is the percentile of
	sums      []resample // of the full model, by resample; nil before they are asked for
}

// resample is what a resample of the rows sums up to, losses by label.
type resample struct {
	before []float64
	weight float64
}

// leadingMetric returns the name of the metric that leads early stopping by default.
func leadingMetric(m *model.Model) (string, error) {
	names, err := m.DefaultMetrics()
	if err != nil {
		return "", err
	}
	return names[0], nil
}

func newHalf(ctx context.Context, m *model.Model, t *dataset.Table, rows []int32, opts []Option) (*half, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: too few rows (%d): a compressed model is searched for on one half of them and certified on the other, and one half has none: give more rows", dataset.ErrTable, t.NumRows())
	}
	leading, err := leadingMetric(m)
	if err != nil {
		return nil, err
	}
	j, err := newJudge(m, t.Take(rows), []string{leading}, opts)
	if err != nil {
		return nil, err
	}
	h := &half{judge: j, resamples: resamples}
	metric, ok := j.metric(0).(metrics.ByRow)
	if !ok {
		j.close()
		if j.metric(0) != nil {
			return nil, fmt.Errorf("a search and its certificate go by a mean over rows, and %s is none: compress without a table", leading)
		}
		return nil, fmt.Errorf("a table without labels says nothing of the loss: give one with the column %q", labelName(m))
	}
	h.metric = metric
	if h.full, err = j.judge(ctx, m); err != nil {
		j.close()
		return nil, err
	}
	h.weight = j.in.Weights
	if h.weight == nil {
		h.weight = slices.Repeat([]float64{1}, len(rows))
	}
	h.before = h.losses(h.full)
	return h, nil
}

// beside makes another model the one that models are compared with; t are the half's rows.
func (h *half) beside(ctx context.Context, reference *model.Model, t *dataset.Table, opts []Option) error {
	j, err := newJudge(reference, t, []string{h.metric.Name()}, append(slices.Clip(opts), Pool(h.judge.pool)))
	if err != nil {
		return err
	}
	if h.full, err = j.judge(ctx, reference); err != nil {
		return err
	}
	h.before, h.sums = h.losses(h.full), nil
	return nil
}

func labelName(m *model.Model) string {
	if labels := m.Labels(); labels != nil {
		return labels[0]
	}
	return "label"
}

// losses returns weight·loss of each row, by label.
func (h *half) losses(d judged) [][]float64 {
	in := h.judge.in
	in.Raw, in.Values = d.raw, d.values
	if in.Targets == nil {
		return [][]float64{h.lossesOf(&in)}
	}
	all := make([][]float64, len(in.Targets))
	for k := range all {
		one := in.Target(k)
		all[k] = h.lossesOf(&one)
	}
	return all
}

// lossesOf is losses of one label.
func (h *half) lossesOf(in *metrics.Input) []float64 {
	out := make([]float64, len(h.weight))
	for lo := 0; lo < len(out); lo += sampleBlock {
		hi := min(lo+sampleBlock, len(out))
		h.metric.Losses(in, lo, hi, out[lo:hi])
	}
	for i, w := range h.weight {
		if out[i] *= w; w == 0 {
			out[i] = 0
		}
	}
	return out
}

// verdict is what a half shows of a model.
type verdict struct {
	before, after float64 // metric
	bound         float64 // of the relative change
	maxRaw        float64
	maxPrediction float64
}

// compare compares a model with the full one; the bound is exceeded with a probability of alpha.
func (h *half) compare(ctx context.Context, m *model.Model, alpha float64) (verdict, error) {
	d, err := h.judge.judge(ctx, m)
	if err != nil {
		return verdict{}, err
	}
	return h.verdict(d, alpha), nil
}

// verdict compares predictions with the full model's.
func (h *half) verdict(d judged, alpha float64) verdict {
	v := verdict{
		before: h.full.metrics[0], after: d.metrics[0],
		maxRaw: apart(h.full.raw, d.raw), maxPrediction: apart(h.full.values, d.values),
	}
	v.bound = h.bootstrap(h.losses(d), alpha)
	return v
}

const (
	// resamples is how many resamples a certificate is the percentile of, searchResamples how many
	// the bound of a candidate is on the rows of the search, which certifies nothing.
	resamples       = 2000
	searchResamples = 500
	// mostCells bounds the work of a resample: more rows than that are drawn in cells of rows.
	mostCells = 20_000
)

// bootstrap returns the (1 − alpha) percentile of the relative change of the metric over
// resamples of the rows, both models on the same ones (Efron and Tibshirani, An Introduction to
// the Bootstrap, 1993, §13.3), with alpha made smaller for few rows: see expanded. Each resample
// is a function of its number, and added up in order, so that the percentile is the same for any
// number of threads. NaN means that the metric of the full model is undefined.
func (h *half) bootstrap(after [][]float64, alpha float64) float64 {
	if h.sums == nil {
		h.sums = make([]resample, h.resamples)
		weights := h.drawnSums([][]float64{h.weight})
		for b, before := range h.drawnSums(h.before) {
			h.sums[b] = resample{before: before, weight: weights[b][0]}
		}
	}
	changes := make([]float64, h.resamples)
	for b, sums := range h.drawnSums(after) {
		changes[b] = change(h.sums[b].before, sums, h.sums[b].weight, h.metric.Root())
	}
	slices.Sort(changes)
	if math.IsNaN(changes[0]) {
		return math.NaN()
	}
	share := 1 - expanded(alpha, len(h.weight))
	return changes[min(int(math.Ceil(float64(h.resamples)*share)), h.resamples)-1]
}

// expanded returns the share of resamples above which a bound lies that is to be exceeded with a probability of
// alpha: resamples of n rows spread by √((n−1)/n) too little, and not as Student's t. It is Hesterberg's
// expanded percentile (What Teachers Should Know about the Bootstrap, 2014, §5.2): Φ(−√(n/(n−1))·t), with the
// quantile t of n−1 degrees of freedom by Cornish and Fisher's expansion. Below 5 rows it is 0.
func expanded(alpha float64, n int) float64 {
	if n < 5 {
		return 0
	}
	z, nu := normalQuantile(1-alpha), float64(n-1)
	z2 := float64(z * z)
	first, second := float64(z*(z2+1)), float64(z*(float64(z2*(float64(5*z2)+16))+3))
	t := z + first/(4*nu) + second/float64(float64(96*nu)*nu)
	return 1 - normal(t*math.Sqrt(float64(n)/nu))
}

// normal is the distribution function of a normal variable.
func normal(x float64) float64 { return 0.5 + float64(0.5*detmath.Erf(x/math.Sqrt2)) }

// normalQuantile is its inverse between 10⁻¹⁵ and 1 − 10⁻¹⁵, by bisection.
func normalQuantile(p float64) float64 {
	low, high := -8.0, 8.0
	for range 60 {
		if middle := (low + high) / 2; normal(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// drawnSums returns, for each resample, the sums of lists of numbers of rows over the cells that it draws.
func (h *half) drawnSums(lists [][]float64) [][]float64 {
	sums := make([][]float64, h.resamples)
	for b := range sums {
		sums[b] = make([]float64, len(lists))
	}
	for k, list := range lists {
		cells := inCells(list)
		h.judge.pool.Do((h.resamples+3)/4, parallel.Func(func(_, i int) {
			four := drawnFour(4*i, cells)
			for b := 4 * i; b < min(4*i+4, h.resamples); b++ {
				sums[b][k] = four[b-4*i]
			}
		}))
	}
	return sums
}

// drawnFour returns the sums of the cells that each of four resamples from first on draws: four chains of additions go on side by side.
func drawnFour(first int, cells []float64) [4]float64 {
	var keys [4]uint64
	for b := range keys {
		keys[b] = rng.Key(0, rng.Resamples, uint64(first+b), 0)
	}
	n := uint64(len(cells))
	var s0, s1, s2, s3 float64
	for i := range n {
		c0, _ := bits.Mul64(rng.Draw(keys[0], i), n)
		c1, _ := bits.Mul64(rng.Draw(keys[1], i), n)
		c2, _ := bits.Mul64(rng.Draw(keys[2], i), n)
		c3, _ := bits.Mul64(rng.Draw(keys[3], i), n)
		s0, s1, s2, s3 = s0+cells[c0], s1+cells[c1], s2+cells[c2], s3+cells[c3]
	}
	return [4]float64{s0, s1, s2, s3}
}

// inCells adds up numbers of rows in at most mostCells cells, row i in cell i modulo their
// number: cells are alike, so that drawing them spreads as drawing rows does.
func inCells(rows []float64) []float64 {
	if len(rows) <= mostCells {
		return rows
	}
	cells := make([]float64, mostCells)
	for i, x := range rows {
		cells[i%mostCells] += x
	}
	return cells
}

// change returns the relative change of a mean over w, or of its root, from sums a to sums z; of several labels it is that of the mean over them.
func change(a, z []float64, w float64, root bool) float64 {
	of := func(sums []float64) (mean float64) {
		for _, sum := range sums {
			if one := sum / w; root {
				mean += math.Sqrt(one)
			} else {
				mean += one
			}
		}
		return mean / float64(len(sums))
	}
	return relative(of(a), of(z))
}

// relative returns the change of a loss as a share of its size, which may be negative: infinite from 0 on.
func relative(before, after float64) float64 {
	if before == after {
		return 0
	}
	return (after - before) / math.Abs(before)
}
