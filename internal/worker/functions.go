package worker

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"boost/booster"
	"boost/booster/search"
	"boost/internal/kernel/loss"
	"boost/objectives"
	"boost/objectives/metrics"
)

// functionsHead is what a request to train says of functions of the library: the worker asks it for their values in every round.
type functionsHead struct {
	Loss    *lossHead    `json:"loss"`
	Metrics []metricHead `json:"metrics"`
	Leads   bool         `json:"leads"` // the first of Metrics leads early stopping; else they come after those of the settings
}

// lossHead is a loss of the library.
type lossHead struct {
	Name      string    `json:"name"`
	Link      string    `json:"link"`
	Outputs   int       `json:"outputs"`
	BaseScore []float64 `json:"base_score"` // raw scores that training starts from, one for each output
	Weighed   bool      `json:"weighed"`    // the derivatives that come back are weighted
	Queries   bool      `json:"queries"`    // it is of queries, which have to be there
}

// metricHead is a metric of the library.
type metricHead struct {
	Name   string `json:"name"`
	Higher bool   `json:"higher"` // higher values are better
	Raw    bool   `json:"raw"`    // it takes raw scores, not predictions
}

// functions makes options of training of the functions. Training runs under the context of the result, whose method end is called
// after it.
func (h *trainHead) functions(ctx context.Context, r *request) (*functions, error) {
	f := &functions{r: r}
	f.ctx, f.fail = context.WithCancelCause(ctx)
	if h.Loss != nil {
		link, err := objectives.ParseLink(h.Loss.Link)
		if err != nil || h.Loss.Name == "" || h.Loss.Outputs < 1 || len(h.Loss.BaseScore) != h.Loss.Outputs {
			return nil, protocolf("a loss %q with link %q, %d outputs and %d scores to start from", h.Loss.Name, h.Loss.Link, h.Loss.Outputs, len(h.Loss.BaseScore))
		}
		if _, known := objectives.Lookup(h.Loss.Name); known {
			return nil, usagef("objective %s: there is a built-in one of this name: give yours another (boost_gbt.Objective(function, name=...))", h.Loss.Name)
		}
		own := ownLoss{h.Loss, link, h.Base == 0, f}
		if h.Loss.Queries {
			f.own.Options = append(f.own.Options, booster.WithObjective(ownRanking{own}))
		} else {
			f.own.Options = append(f.own.Options, booster.WithObjective(own))
		}
	}
	for i := range h.Metrics {
		m := ownMetric{h.Metrics[i], i, false, f}
		if _, known := metrics.Lookup(m.Name()); known {
			return nil, usagef("metric %s: there is a built-in one of this name: give yours another (boost_gbt.Metric(function, name=...))", m.Name())
		}
		if i == 0 && h.Leads {
			f.own.Options = append(f.own.Options, booster.LedBy(m))
		} else {
			f.own.Options = append(f.own.Options, booster.WithMetric(m))
		}
		m.once = true
		f.own.Metrics = append(f.own.Metrics, m)
	}
	return f, nil
}

// end returns what ended training: err, or what the library did wrong.
func (f *functions) end(err error) error {
	cause := context.Cause(f.ctx)
	f.fail(nil)
	if classOf(cause) == classProtocol {
		return cause
	}
	return err
}

// task is the task of a table whose label a loss is of, by the name of a built-in objective for it.
func (l *lossHead) task() string {
	switch objectives.Link(l.Link) {
	case objectives.Logistic:
		return "binary"
	case objectives.Softmax, objectives.OneVsAll:
		return "multiclass"
	}
	return "regression"
}

// functions asks the library for values.
type functions struct {
	own  search.Own
	r    *request
	ctx  context.Context
	fail context.CancelCauseFunc

	mu   sync.Mutex
	sets [mostKept]knownRows
	next int // of sets, to be filled
}

// knownRows are rows that the library knows: what belongs to them is sent once.
type knownRows struct {
	labels, weights []float64
	queries         []int
}

// rowsHead says in which arrays of 8-byte numbers the body of a call begins, where the library does not know the rows yet.
type rowsHead struct {
	Rows    int  `json:"rows"` // number of the rows among those that the library knows; -1: it need not keep them
	New     bool `json:"new"`  // the body begins with their labels, f8
	Weights int  `json:"weights"`
	Queries int  `json:"queries"` // how many i8 follow: the row with which each query begins, and the number of rows
}

// callHead is the head of a call of a function. Its body has what rowsHead says, then the scores, f8, outputs × rows.
type callHead struct {
	Event  string `json:"event"` // call
	Call   uint32 `json:"call"`  // number that the answer has
	Metric int    `json:"metric"`
	Loss   bool   `json:"loss"`
	Shape  [2]int `json:"shape"` // outputs, rows
	rowsHead
}

// mostKept is how many sets of rows the library keeps: folds have two each, and those of a search come and go.
const mostKept = 32

// know returns what is to be said of rows, and the arrays to be sent: none for rows that the library knows. Rows that come only once
// are not kept.
func (f *functions) know(rows knownRows, once bool) (head rowsHead, body []byte) {
	same := func(k knownRows) bool { // classes may have weights in training, and none in metrics
		return isSame(k.labels, rows.labels) && isSame(k.weights, rows.weights) && isSame(k.queries, rows.queries)
	}
	if once {
		head.Rows = -1
	} else if head.Rows = slices.IndexFunc(f.sets[:], same); head.Rows >= 0 {
		return head, nil
	} else {
		head.Rows = f.next
		f.sets[f.next] = rows
		f.next = (f.next + 1) % mostKept
	}
	head.New, head.Weights, head.Queries = true, len(rows.weights), len(rows.queries)
	body = slices.Concat(bytesOf(rows.labels), bytesOf(rows.weights))
	for _, begin := range rows.queries {
		body = binary.LittleEndian.AppendUint64(body, uint64(begin))
	}
	return head, body
}

// isSame reports whether two slices are the same memory.
func isSame[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// ask calls a function of the library for rows and their scores, and returns the size bytes that it answers with. Where there are
// none, the run has been cancelled, or is now.
func (f *functions) ask(head callHead, rows knownRows, once bool, scores []float64, size int) ([]byte, bool) {
	answer, err := f.call(&head, rows, once, scores)
	if err == nil && len(answer) != size {
		err = protocolf("a result of %d bytes in place of %d", len(answer), size)
	}
	if err != nil {
		f.fail(err)
	}
	return answer, err == nil
}

// call sends a call, and waits for its result.
func (f *functions) call(head *callHead, rows knownRows, once bool, scores []float64) ([]byte, error) {
	s, result := f.r.server, make(chan []byte, 1)
	s.mu.Lock()
	s.last++
	head.Call = s.last
	s.results[head.Call] = result
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.results, head.Call)
		s.mu.Unlock()
	}()
	n := len(rows.labels)
	head.Event, head.Shape = "call", [2]int{len(scores) / n, n}
	f.mu.Lock() // what is new goes ahead of what rests on it
	known, body := f.know(rows, once)
	if head.rowsHead = known; known.New {
		body = append(body, bytesOf(scores)...)
	} else {
		body = bytesOf(scores)
	}
	err := s.out.write(f.r.id, head, body)
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case answer := <-result:
		return answer, nil
	case <-f.ctx.Done():
		return nil, context.Cause(f.ctx)
	}
}

// ownLoss is a loss of the library.
type ownLoss struct {
	*lossHead
	link  objectives.Link
	exact bool // the label has all classes: training goes on from no model
	*functions
}

func (l ownLoss) Name() string                       { return l.lossHead.Name }
func (l ownLoss) Outputs() int                       { return l.lossHead.Outputs }
func (l ownLoss) Link() objectives.Link              { return l.link }
func (l ownLoss) Order(rows objectives.Rows) []int32 { return nil }

// BaseScore returns the raw scores that the library wants.
func (l ownLoss) BaseScore(objectives.Rows) ([]float64, error) { return l.lossHead.BaseScore, nil }

// Check refuses labels of other classes than there are outputs for.
func (l ownLoss) Check(rows objectives.Rows) error {
	classes := map[objectives.Link]int{objectives.Logistic: 2, objectives.Softmax: l.lossHead.Outputs, objectives.OneVsAll: l.lossHead.Outputs}[l.link]
	if classes > 0 {
		if found := int(slices.Max(rows.Labels)) + 1; found > classes || l.exact && found < classes {
			return fmt.Errorf("%w: the label has %d classes, and objective %s is of %d", objectives.ErrRows, found, l.Name(), classes)
		}
	}
	return objectives.CheckWeights(rows)
}

// Gradients asks for the derivatives of all rows.
func (l ownLoss) Gradients(rows objectives.Rows, lo, hi int, scores []float64, grad, hess []float32) {
	answer, ok := l.ask(callHead{Loss: true}, knownRows{rows.Labels, rows.Weights, rows.Queries}, false, scores, 8*len(scores))
	if !ok {
		clear(grad)
		clear(hess)
		return
	}
	values := valuesOf[float32](answer)
	copy(grad, values[:len(scores)])
	copy(hess, values[len(scores):])
	if n := len(rows.Labels); rows.Weights != nil && !l.Weighed {
		for at := 0; at < len(scores); at += n {
			loss.Weigh(grad[at:at+n], hess[at:at+n], rows.Weights)
		}
	}
}

// ownRanking is a loss of queries.
type ownRanking struct{ ownLoss }

// OfQueries marks the objective.
func (ownRanking) OfQueries() {}

// Check refuses rows without queries.
func (l ownRanking) Check(rows objectives.Rows) error {
	if rows.Queries == nil {
		return fmt.Errorf("%w: %w", objectives.ErrRows, objectives.ErrNoQueries)
	}
	return l.ownLoss.Check(rows)
}

// ownMetric is a metric of the library.
type ownMetric struct {
	metricHead
	number int
	once   bool // it is asked for other rows each time
	*functions
}

func (m ownMetric) Name() string         { return m.metricHead.Name }
func (m ownMetric) HigherIsBetter() bool { return m.Higher }

// Eval asks for the metric. It is undefined where no answer comes.
func (m ownMetric) Eval(in metrics.Input) float64 {
	scores := in.Values
	if m.Raw {
		scores = in.Raw
	}
	answer, ok := m.ask(callHead{Metric: m.number}, knownRows{in.Labels, in.Weights, in.Queries}, m.once, scores, 8)
	if !ok {
		return math.NaN()
	}
	return valuesOf[float64](answer)[0]
}
