package trust

import (
	"fmt"
	"math"
	"slices"

	"boost/internal/detmath"
)

// Kind is what intervals are made from.
type Kind string

// The kinds of intervals.
const (
	// Residuals put the margin below and above the prediction (split conformal: Lei et al. 2018, §2.2).
	Residuals Kind = "residuals"
	// Quantiles widen or narrow the distance of two predicted quantiles (conformalized quantile regression: Romano,
	// Patterson and Candès 2019).
	Quantiles Kind = "quantiles"
	// Sets are the classes whose probability is at least 1 − margin (least ambiguous sets: Sadinle, Lei and Wasserman
	// 2019). A set can be empty.
	Sets Kind = "sets"
)

// Intervals cover the labels of a given share of new rows, if these are drawn as the rows were that they were fitted to.
type Intervals struct {
	Kind   Kind
	Level  float64 // share of rows that are covered, between 0 and 1
	Margin float64 // of rows of no listed group
	Low    int     // output of the lower quantile; of Quantiles
	High   int     // output of the upper one
	By     string  // the column of the groups; "" without groups
	Groups []Group // each of which is covered (Mondrian: Vovk, Gammerman and Shafer 2005, §4.5)
}

// Group is the rows with one value of a column.
type Group struct {
	Value   string
	Missing bool // rows without a value, instead of those with Value
	Margin  float64
}

// Sample is rows that margins are fitted to.
type Sample struct {
	Scores  []float64 // how far the label of each is from what was predicted: see ResidualScores, QuantileScores, SetScores
	Weights []float64 // by row, or nil for all 1
	Groups  []int32   // by row, an index of Names; nil without groups
	Names   []Group   // whose margins are to be found
}

// ResidualScores returns |label − prediction|.
func ResidualScores(predicted, labels []float64) []float64 {
	scores := make([]float64, len(labels))
	for i, y := range labels {
		scores[i] = math.Abs(y - predicted[i])
	}
	return scores
}

// QuantileScores returns by how much each label lies outside its quantiles, below 0 where it is inside.
func QuantileScores(low, high, labels []float64) []float64 {
	scores := make([]float64, len(labels))
	for i, y := range labels {
		scores[i] = max(low[i]-y, y-high[i])
	}
	return scores
}

// SetScores returns SetScore of each row's class.
func SetScores(outputs int, values, labels []float64) []float64 {
	scores := make([]float64, len(labels))
	for i, y := range labels {
		scores[i] = SetScore(outputs, values, len(labels), i, int(y))
	}
	return scores
}

// SetScore returns 1 − the probability of a class of a row: the class is in the row's set where this is not above the margin.
// values are output-major, outputs × n; with one output they are the probabilities of the second of two classes.
func SetScore(outputs int, values []float64, n, row, class int) float64 {
	switch {
	case outputs > 1:
		return 1 - values[class*n+row]
	case class == 0:
		return 1 - (1 - values[row])
	default:
		return 1 - values[row]
	}
}

// LeastRows returns how many rows a margin needs for a level: with fewer it would be infinite.
func LeastRows(level float64) int {
	return max(int(math.Ceil(level/(1-level)*(1-slack))), 1)
}

// slack keeps the rounding of level·(n+1) from counting for a row.
const slack = 1e-12

// margin returns the least score so that the rows up to it weigh level of all rows and one more, which has the mean weight:
// for rows of equal weight the ⌈level·(n+1)⌉-th score. It is not ok where that is beyond the last.
func (s *Sample) margin(level float64, of func(row int) bool) (margin float64, ok bool) {
	var rows []int
	var total detmath.Sum
	for i := range s.Scores {
		if s.weight(i) > 0 && of(i) {
			rows = append(rows, i)
			total.Add(s.weight(i))
		}
	}
	if len(rows) == 0 {
		return 0, false
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		switch {
		case s.Scores[a] < s.Scores[b]:
			return -1
		case s.Scores[a] > s.Scores[b]:
			return 1
		}
		return 0
	})
	all := total.Round()
	need := float64(level*(all+all/float64(len(rows)))) * (1 - slack)
	sum := 0.0
	for _, i := range rows {
		if sum += s.weight(i); sum >= need {
			return s.Scores[i], true
		}
	}
	return 0, false
}

func (s *Sample) weight(row int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[row]
}

// margins are those of all rows and of each group; of too few rows it is that of all rows.
type margins struct {
	all     float64
	groups  []float64
	lacking []int // groups of too few rows
}

func (s *Sample) fit(level float64, of func(row int) bool) (m margins, ok bool) {
	if m.all, ok = s.margin(level, of); !ok {
		return m, false
	}
	for g := range s.Names {
		margin, enough := s.margin(level, func(row int) bool { return s.Groups[row] == int32(g) && of(row) })
		if !enough {
			m.lacking, margin = append(m.lacking, g), m.all
		}
		m.groups = append(m.groups, margin)
	}
	return m, true
}

// FitIntervals fills in the margins of intervals whose other fields are set. It returns the groups of too few rows, which get
// the margin of all rows. Too few rows altogether, a level that is not between 0 and 1, and a score that is not finite are errors.
func FitIntervals(intervals *Intervals, s Sample) (lacking []Group, err error) {
	if !(intervals.Level > 0 && intervals.Level < 1) {
		return nil, fmt.Errorf("intervals that cover %v of the rows: expected a share between 0 and 1, such as 0.9", intervals.Level)
	}
	if i := slices.IndexFunc(s.Scores, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
		return nil, fmt.Errorf("row %d is %v from its prediction", i, s.Scores[i])
	}
	m, ok := s.fit(intervals.Level, func(int) bool { return true })
	if !ok {
		return nil, fmt.Errorf("%d rows are too few for intervals that cover %v of the rows: %d are needed, and a thousand for a share that is near to that",
			len(s.Scores), intervals.Level, LeastRows(intervals.Level))
	}
	intervals.Margin, intervals.Groups = m.all, nil
	for g, name := range s.Names {
		if !slices.Contains(m.lacking, g) {
			name.Margin = m.groups[g]
			intervals.Groups = append(intervals.Groups, name)
			continue
		}
		lacking = append(lacking, name)
	}
	return lacking, nil
}

// HeldMargins returns for each row the margin that the other four fifths of the rows give. Rows are dealt to the fifths in
// turn. ok is false where these are too few.
func HeldMargins(level float64, s Sample) (held []float64, ok bool) {
	held = make([]float64, len(s.Scores))
	for without := range folds {
		m, ok := s.fit(level, func(row int) bool { return row%folds != without })
		if !ok {
			return nil, false
		}
		for i := without; i < len(held); i += folds {
			if held[i] = m.all; s.Names != nil && s.Groups[i] >= 0 {
				held[i] = m.groups[s.Groups[i]]
			}
		}
	}
	return held, true
}

// check returns what is wrong with intervals for a model of so many outputs and classes.
func (v *Intervals) check(outputs, classes int) error {
	switch {
	case !(v.Level > 0 && v.Level < 1):
		return fmt.Errorf("intervals of level %v", v.Level)
	case v.Kind == Quantiles && (classes > 0 || v.Low < 0 || v.High >= outputs || v.Low >= v.High),
		v.Kind == Residuals && (classes > 0 || outputs != 1),
		v.Kind == Sets && classes == 0,
		v.Kind != Quantiles && (v.Low != 0 || v.High != 0):
		return fmt.Errorf("intervals from %s of outputs %d and %d for a model of %d outputs and %d classes", v.Kind, v.Low, v.High, outputs, classes)
	case v.Kind != Quantiles && v.Kind != Residuals && v.Kind != Sets:
		return fmt.Errorf("intervals of unknown kind %q", v.Kind)
	case v.By == "" && len(v.Groups) > 0:
		return fmt.Errorf("%d groups of no column", len(v.Groups))
	}
	seen := map[Group]bool{}
	for _, g := range append(slices.Clone(v.Groups), Group{Margin: v.Margin}) {
		if math.IsNaN(g.Margin) || math.IsInf(g.Margin, 0) || v.Kind != Quantiles && g.Margin < 0 {
			return fmt.Errorf("intervals of margin %v", g.Margin)
		}
	}
	for _, g := range v.Groups {
		if g.Margin = 0; seen[g] || g.Missing && g.Value != "" {
			return fmt.Errorf("group %q of column %q stands twice", g.Value, v.By)
		}
		seen[g] = true
	}
	return nil
}

// Around returns the interval of a prediction, or of a lower and an upper quantile, within the bounds least and most. Where
// a margin below 0 would turn it round, both ends are its middle.
func Around(low, high, margin, least, most float64) (from, to float64) {
	from, to = low-margin, high+margin
	if from > to {
		from = low + float64((high-low)/2)
		to = from
	}
	return min(max(from, least), most), min(max(to, least), most)
}
