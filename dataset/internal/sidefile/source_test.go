package sidefile

import (
	"context"
	"slices"
	"testing"

	"boost/dataset/internal/chunk"
)

// backwards emits three chunks of two rows, the last first.
type backwards struct{ chunk.Source }

func (backwards) Read(_ context.Context, p *chunk.Pass) error {
	for index := 2; index >= 0; index-- {
		p.Emit(&chunk.Chunk{Index: index, Rows: 2, Columns: chunk.NewColumns(len(p.Targets))})
	}
	return nil
}

// Chunks wait for those before them only where a column of a side file is asked for;
// rows are counted in either case.
func TestSidePassOrder(t *testing.T) {
	o := &chunk.Options{Dialect: chunk.Dialect{Decimal: '.'}}
	for _, c := range []struct {
		name    string
		targets []chunk.Target
		rows    int
		want    []int
		fails   bool
	}{
		{"own columns", []chunk.Target{{Source: 0}}, 6, []int{2, 1, 0}, false},
		{"a side column", []chunk.Target{{Source: 0}, {Source: 1}}, 6, []int{0, 1, 2}, false},
		{"own columns, rows amiss", []chunk.Target{{Source: 0}}, 5, []int{2, 1, 0}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Source{Source: backwards{}, Options: o, inputs: []chunk.Input{{Name: "t"}}, own: 1,
				added: []fileColumn{{name: "weight", values: make([]float64, c.rows)}}, files: []sideFile{{name: "t.weight", rows: c.rows}}}
			var got []int
			err := s.Read(context.Background(), &chunk.Pass{Targets: c.targets, Emit: func(ch *chunk.Chunk) {
				got = append(got, ch.Index)
				if len(ch.Columns) != len(c.targets) {
					t.Errorf("chunk %d has %d pieces, want %d", ch.Index, len(ch.Columns), len(c.targets))
				}
			}})
			if (err != nil) != c.fails || !slices.Equal(got, c.want) {
				t.Errorf("chunks %v, error %v; want %v", got, err, c.want)
			}
		})
	}
}
