package trust

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/detmath"
)

// Rows are predicted probabilities of rows that did not train the model, and their labels.
type Rows struct {
	Outputs int       // 1 for two classes, else the number of classes
	Values  []float64 // probabilities, output-major: entry output·n + row; with one output those of the positive class
	Labels  []float64 // n: the index of the class
	Weights []float64 // n, or nil for all 1
}

// Candidate is a method and how good it is on rows that it was not fitted to.
type Candidate struct {
	Method  Method
	LogLoss float64
}

// Fitted is what FitCalibration found.
type Fitted struct {
	Calibration *Calibration // nil for None
	Candidates  []Candidate  // that Auto chose from, in the order of Methods; nil for other methods
	// Held are the calibrated probabilities of the rows, each by a calibration that was fitted without it: what new rows
	// can expect. Output-major, like Rows.Values.
	Held []float64
}

// FewRowsError is the error about a class of too few rows.
type FewRowsError struct {
	Class, Rows int
	Least       int // rows that it needs
}

func (e *FewRowsError) Error() string {
	return fmt.Sprintf("class %d has %d rows: to be calibrated each class needs %d, and some hundreds to gain by it", e.Class, e.Rows, e.Least)
}

// folds is how many parts of the rows are held out in turn.
const folds = 5

// FitCalibration calibrates probabilities by a method. With Auto it is that with the lowest log loss where each fifth of the
// rows, of each class in turn, is predicted by the other four; the simplest of equals. Rows that count for nothing are left
// out. Less than 5 rows of a class
// (*FewRowsError), a method that there is not, and with more than two classes Beta and VennAbers are errors.
func FitCalibration(rows Rows, method Method) (*Fitted, error) {
	among := candidates(rows.Outputs)
	if method != Auto && !slices.Contains(among, method) {
		if slices.Contains(Methods(), method) {
			return nil, fmt.Errorf("calibration %q is for two classes: take %s, %s or %s", method, Auto, Platt, Isotonic)
		}
		return nil, fmt.Errorf("unknown calibration %q: expected one of %v", method, Methods())
	}
	f, err := newFitter(rows)
	if err != nil {
		return nil, err
	}
	found := &Fitted{}
	if method == Auto {
		lowest := math.Inf(1)
		for _, m := range among {
			held := f.crossFit(m)
			loss := f.logLoss(held)
			found.Candidates = append(found.Candidates, Candidate{m, loss})
			if loss < lowest {
				lowest, method, found.Held = loss, m, held
			}
		}
	} else {
		found.Held = f.crossFit(method)
	}
	found.Calibration = f.fit(method, -1)
	return found, nil
}

// fitter has the rows in the form that methods take.
type fitter struct {
	rows   Rows
	scores []float64 // log-odds, output-major
	fold   []int     // of each row; −1 where it counts for nothing
}

// scored is a row as the calibration of one class sees it.
type scored struct {
	score, weight float64
	positive      bool
}

func newFitter(rows Rows) (*fitter, error) {
	n, k := len(rows.Labels), rows.Outputs
	if len(rows.Values) != n*k || rows.Weights != nil && len(rows.Weights) != n {
		return nil, fmt.Errorf("%d probabilities of %d outputs and %d weights for %d rows", len(rows.Values), k, len(rows.Weights), n)
	}
	f := &fitter{rows: rows, scores: slices.Clone(rows.Values), fold: make([]int, n)}
	counts := make([]int, max(k, 2))
	row, rest := make([]float64, k), make([]float64, k)
	for i, label := range rows.Labels {
		class := int(label)
		if class < 0 || class >= len(counts) || float64(class) != label {
			return nil, fmt.Errorf("row %d has label %v: expected the index of one of %d classes", i, label, len(counts))
		}
		f.fold[i] = -1
		if f.weight(i) > 0 {
			f.fold[i] = counts[class] % folds
			counts[class]++
		}
		if k == 1 {
			f.scores[i] = logOdds(rows.Values[i], 1-rows.Values[i])
			continue
		}
		for c := range row {
			row[c] = rows.Values[c*n+i]
		}
		oneVsRest(row, rest)
		for c, s := range row {
			f.scores[c*n+i] = s
		}
	}
	for class, count := range counts {
		if count < folds {
			return nil, &FewRowsError{class, count, folds}
		}
	}
	return f, nil
}

func (f *fitter) weight(row int) float64 {
	if f.rows.Weights == nil {
		return 1
	}
	return f.rows.Weights[row]
}

// fit calibrates without the rows of a fold; −1 is with all.
func (f *fitter) fit(method Method, without int) *Calibration {
	if method == None {
		return nil
	}
	c := &Calibration{Method: method, Maps: make([]Map, f.rows.Outputs)}
	n := len(f.fold)
	for k := range c.Maps {
		class := k
		if f.rows.Outputs == 1 {
			class = 1
		}
		var of []scored
		for i, fold := range f.fold {
			if fold >= 0 && fold != without {
				of = append(of, scored{f.scores[k*n+i], f.weight(i), int(f.rows.Labels[i]) == class})
			}
		}
		c.Maps[k] = map[Method]func([]scored) Map{Platt: fitPlatt, Beta: fitBeta, Isotonic: fitIsotonic, VennAbers: fitVennAbers}[method](of)
	}
	return c
}

// crossFit returns the probabilities of the rows, each calibrated without its fold.
func (f *fitter) crossFit(method Method) []float64 {
	held := slices.Clone(f.rows.Values)
	if method == None {
		return held
	}
	n, all := len(f.fold), make([]float64, len(held))
	for without := range folds {
		copy(all, f.rows.Values)
		f.fit(method, without).Apply(f.rows.Outputs, all, 0, n, n)
		for i, fold := range f.fold {
			if fold != without && (fold >= 0 || without > 0) {
				continue
			}
			for k := range f.rows.Outputs {
				held[k*n+i] = all[k*n+i]
			}
		}
	}
	return held
}

// leastChance is what a probability of 0 counts as in a log loss.
const leastChance = 0x1p-53

// logLoss returns the mean log loss of probabilities of the rows.
func (f *fitter) logLoss(values []float64) float64 {
	n := len(f.fold)
	var loss, weight detmath.Sum
	for i := range f.fold {
		p, label := values[i], int(f.rows.Labels[i])
		switch {
		case f.rows.Outputs > 1:
			p = values[label*n+i]
		case label == 0:
			p = 1 - p
		}
		loss.Add(float64(-f.weight(i) * detmath.Log(max(p, leastChance))))
		weight.Add(f.weight(i))
	}
	return loss.Round() / weight.Round()
}
