package dataset

import (
	"context"
	"slices"
	"testing"
)

// backwards emits three chunks of two rows, the last first.
type backwards struct{ source }

func (backwards) Read(_ context.Context, p *pass) error {
	for index := 2; index >= 0; index-- {
		p.emit(&chunk{index: index, rows: 2, pieces: make([]piece, len(p.targets))})
	}
	return nil
}

// Chunks wait for those before them only where a column of a side file is asked for;
// rows are counted in either case.
func TestSidePassOrder(t *testing.T) {
	o, err := newOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		targets []target
		rows    int
		want    []int
		fails   bool
	}{
		{"own columns", []target{{source: 0}}, 6, []int{2, 1, 0}, false},
		{"a side column", []target{{source: 0}, {source: 1}}, 6, []int{0, 1, 2}, false},
		{"own columns, rows amiss", []target{{source: 0}}, 5, []int{2, 1, 0}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &sideSource{source: backwards{}, options: o, inputs: []input{{name: "t"}}, own: 1,
				added: []sideColumn{{name: "weight", values: make([]float64, c.rows)}}, files: []sideFile{{name: "t.weight", rows: c.rows}}}
			var got []int
			err := s.Read(context.Background(), &pass{targets: c.targets, emit: func(ch *chunk) {
				got = append(got, ch.index)
				if len(ch.pieces) != len(c.targets) {
					t.Errorf("chunk %d has %d pieces, want %d", ch.index, len(ch.pieces), len(c.targets))
				}
			}})
			if (err != nil) != c.fails || !slices.Equal(got, c.want) {
				t.Errorf("chunks %v, error %v; want %v", got, err, c.want)
			}
		})
	}
}
