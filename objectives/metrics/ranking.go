package metrics

import (
	"math"

	"boost/internal/detmath"
	"boost/parallel"
)

var (
	averagePrecisionInfo = Info{
		Name:    "average_precision",
		Aliases: []string{"average_precision_score"},
		Links:   []string{logistic},
		build:   func(string, []float64) Metric { return averagePrecision{} },
	}
	aucOvrInfo = Info{
		Name:    "auc_ovr",
		Aliases: []string{"roc_auc_ovr"},
		Links:   []string{softmax, oneVsAll},
		build:   func(string, []float64) Metric { return aucOvr{} },
	}
	aucMuInfo = Info{
		Name:  "auc_mu",
		Links: []string{softmax, oneVsAll},
		build: func(string, []float64) Metric { return aucMu{} },
	}
)

// averagePrecision is the mean over the weight of the positive rows of the precision at their prediction: the share of
// positive rows among those predicted as high or higher. Rows of equal predictions stand together. It is NaN
// where there is no positive row and where a prediction is NaN. Weights are taken in steps, as in auc.
type averagePrecision struct{}

func (averagePrecision) Name() string         { return "average_precision" }
func (averagePrecision) HigherIsBetter() bool { return true }

func (averagePrecision) Eval(in Input) float64 {
	n := len(in.Labels)
	if in.Outputs != 1 || n == 0 {
		return math.NaN()
	}
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	rows := buffer.rank(&in, in.Values, 1)
	if rows[n-1].key == nanKey {
		return math.NaN()
	}
	var hits, all counter // of the rows predicted as high or higher
	var sum detmath.Sum
	for i := n - 1; i >= 0; {
		up := counter{}
		for key := rows[i].key; i >= 0 && rows[i].key == key; i-- {
			if c := rows[i].count; c > 0 {
				up.add(counter{uint64(c)})
			} else {
				all.add(counter{uint64(-c)})
			}
		}
		all.add(up)
		hits.add(up)
		if up != (counter{}) {
			sum.AddWeighted(up.float(0), hits.float(0)/all.float(0))
		}
	}
	if hits == (counter{}) {
		return math.NaN()
	}
	return sum.Round() / hits.float(0)
}

// aucOvr is the mean over the classes of the area of each against the rest, by its probability (macro average). It is
// NaN where a class has no weight.
type aucOvr struct{}

func (aucOvr) Name() string         { return "auc_ovr" }
func (aucOvr) HigherIsBetter() bool { return true }

func (aucOvr) Eval(in Input) float64 {
	n := len(in.Labels)
	if in.Outputs < 2 || n == 0 {
		return math.NaN()
	}
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	sum := 0.0
	for k := range in.Outputs {
		sum += areaOf(buffer.rank(&in, in.Values[k*n:k*n+n], float64(k)), in.Weights)
	}
	return sum / float64(in.Outputs)
}

// aucMu is the mean over the pairs of classes of the area that tells their rows apart, by the difference of
// the two raw scores (Kleiman and Page 2019, with LightGBM's weights of 1). It is NaN where a class has no weight.
type aucMu struct{}

func (aucMu) Name() string         { return "auc_mu" }
func (aucMu) HigherIsBetter() bool { return true }

func (aucMu) Eval(in Input) float64 {
	n, classes := len(in.Labels), in.Outputs
	if classes < 2 || n == 0 {
		return math.NaN()
	}
	byClass := make([][]uint32, classes)
	for row, label := range in.Labels {
		if in.Weights == nil || in.Weights[row] != 0 {
			byClass[int(label)] = append(byClass[int(label)], uint32(row))
		}
	}
	buffer := takeRankBuffer(n)
	defer rankBuffers.Put(buffer)
	t := &pairTask{in: &in, shift: stepShift(in.Weights)}
	sum := 0.0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			t.up, t.down = byClass[i], byClass[j]
			t.first, t.second = in.Raw[i*n:i*n+n], in.Raw[j*n:j*n+n]
			t.rows = buffer.rows[:len(t.up)+len(t.down)]
			run(in.Pool, parallel.Blocks(len(t.rows), blockRows), t)
			sum += areaOf(buffer.sort(len(t.rows), in.Pool), in.Weights)
		}
	}
	return sum / float64(classes*(classes-1)/2)
}

// pairTask fills one block of the rows of two classes.
type pairTask struct {
	in            *Input
	up, down      []uint32  // rows
	first, second []float64 // raw scores of the two classes
	rows          []ranked
	shift         int
}

func (t *pairTask) Run(_, index int) {
	lo, hi := parallel.Block(index, len(t.rows), blockRows)
	for i := lo; i < hi; i++ {
		at, sign := i, int64(1)
		from := t.up
		if i >= len(t.up) {
			from, at, sign = t.down, i-len(t.up), -1
		}
		row := from[at]
		count := int64(1)
		if t.in.Weights != nil {
			count = steps(t.in.Weights[row], t.shift)
		}
		t.rows[i] = ranked{order(t.first[row] - t.second[row]), sign * count}
	}
}
