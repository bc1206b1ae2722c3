package booster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/comm"
	"boost/internal/testenv"
)

// chunks is an end of ranks that counts the calls for sums that are not all there.
type chunks struct {
	comm.Comm
	made *atomic.Int64
}

func (c chunks) Far() bool { return true }

func (c chunks) SumParts64(ctx context.Context, values []uint64, parts []comm.Part, wait func(int)) error {
	if wait != nil {
		c.made.Add(1)
	}
	return c.Comm.SumParts64(ctx, values, parts, wait)
}

// TestRanksSendAhead holds that ranks make the model of one process where sums are sent while others are still added up: of wide tables, whose
// columns are bundled, of few codes, of all kinds, and not all in a tree.
func TestRanksSendAhead(t *testing.T) {
	testenv.Unraced(t) // TestRanksSendAheadRaced is
	wide := wideTable(t, 15_000, 600)
	for name, change := range map[string]func(p *booster.Params){
		"plain":   func(*booster.Params) {},
		"i32":     func(p *booster.Params) { p.Gradients = "i32" },
		"i8":      func(p *booster.Params) { p.Gradients = "i8" },
		"columns": func(p *booster.Params) { p.Tree.ColTree, p.Tree.ColNode = 0.7, 0.8 },
		"by rows": func(p *booster.Params) { p.Builder = "row" },
		"columns first": func(p *booster.Params) {
			p.Builder = "feature"
		},
		"bagging": func(p *booster.Params) { p.RowFraction = 0.95 },
	} {
		t.Run(name, func(t *testing.T) { sendAhead(t, wide, change, 2, 3) })
	}
}

func TestRanksSendAheadRaced(t *testing.T) {
	sendAhead(t, wideTable(t, 8_000, 600), func(*booster.Params) {}, 2)
}

func sendAhead(t *testing.T, table *dataset.Table, change func(p *booster.Params), sizes ...int) {
	t.Helper()
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.EarlyStopping, p.Threads = "regression", 2, 8, 0, 2
	change(&p)
	want := hash(t, p, table)
	for _, n := range sizes {
		var made atomic.Int64
		hashes, err := trainOnEnds(t, comm.Local(n), func(c comm.Comm) comm.Comm { return chunks{c, &made} }, p, table)
		if err != nil {
			t.Fatal(err)
		}
		for rank, got := range hashes {
			if got != want {
				t.Errorf("%d ranks: rank %d makes model %s, one process %s", n, rank, got, want)
			}
		}
		if made.Load() == 0 {
			t.Errorf("%d ranks: nothing was sent while sums were added up", n)
		}
	}
}

// The strongest column is in the order of rows, so that a rank has no rows of whole nodes.
func TestRanksSendAheadNothing(t *testing.T) {
	testenv.Unraced(t)
	const rows, columns = 16_000, 500
	data, y := make([]dataset.ColumnData, columns+2), make([]float64, rows)
	for f := range columns + 1 {
		values := make([]float64, rows)
		for i := range values {
			values[i] = float64(i * (f + 3) * 7919 % 1009)
			if f == columns/2 {
				values[i] = float64(i)
				y[i] = float64(i/(rows/4)*(i/(rows/4))*10 + i%7)
			}
		}
		data[f] = dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: values}
	}
	data[columns+1] = dataset.ColumnData{Name: "y", Values: y}
	table, err := dataset.FromColumns(data, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	sendAhead(t, table, func(p *booster.Params) { p.Tree.Leaves = 16 }, 2, 4)
}

// failing is an end of ranks that fails in the midst of its third call for sums that are not all there.
type failing struct {
	comm.Comm
	calls *atomic.Int64
}

func (f failing) Far() bool { return true }

func (f failing) SumParts64(ctx context.Context, values []uint64, parts []comm.Part, wait func(int)) error {
	if wait == nil || f.calls.Add(1) != 3 {
		return f.Comm.SumParts64(ctx, values, parts, wait)
	}
	return f.Comm.SumParts64(ctx, values, parts, func(chunk int) {
		if chunk == 4 {
			f.Comm.Abort(errors.New("disk full"))
		}
		wait(chunk)
	})
}

func TestRanksFailAhead(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Leaves, p.EarlyStopping, p.Threads = "regression", 2, 8, 0, 2
	var calls atomic.Int64
	hashes, err := trainOnEnds(t, comm.Local(2), func(c comm.Comm) comm.Comm { return failing{c, &calls} }, p, wideTable(t, 8000, 600))
	if hashes[0]+hashes[1] != "" || !errors.Is(err, comm.ErrComm) || strings.Count(err.Error(), "disk full") != 2 {
		t.Errorf("%q, %v", hashes, err)
	}
}

// wideTable has numbers, some missing, columns of few values, and columns that are 1 in turn.
func wideTable(t *testing.T, rows, columns int) *dataset.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 1))
	data, y := make([]dataset.ColumnData, 0, columns+1), make([]float64, rows)
	hot := make([]int, rows)
	for i := range hot {
		hot[i] = r.IntN(columns)
	}
	for f := range columns {
		values := make([]float64, rows)
		for i := range values {
			switch v := r.NormFloat64(); {
			case f%10 == 3: // bundles
				if hot[i] == f {
					values[i] = 1
				}
			case f%10 == 7:
				values[i] = float64(r.IntN(5))
			case f%10 == 5 && r.IntN(6) == 0:
				values[i] = math.NaN()
			default:
				values[i] = v
			}
			if f%37 == 0 {
				y[i] += values[i] * float64(f%5-2)
			}
		}
		data = append(data, dataset.ColumnData{Name: fmt.Sprintf("x%d", f), Values: values})
	}
	for i := range y {
		if math.IsNaN(y[i]) {
			y[i] = 3
		}
	}
	table, err := dataset.FromColumns(append(data, dataset.ColumnData{Name: "y", Values: y}), dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}
