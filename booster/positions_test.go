package booster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// shownRows are rows of queries with the positions at which they were shown, and LightGBM's scores after 1, 4 and 12 rounds.
type shownRows struct {
	X                  [][]float64
	Y, Query, Position []float64
	Plain, Penalised   [][]float64
}

func readShown(t *testing.T) (s shownRows) {
	t.Helper()
	text, err := os.ReadFile("testdata/positions.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shownRows) table(t *testing.T, options ...dataset.Option) *dataset.Table {
	t.Helper()
	columns := []dataset.ColumnData{{Name: "y", Values: s.Y}, {Name: "q", Values: s.Query}, {Name: "place", Values: s.Position}}
	for f := range s.X[0] {
		values := make([]float64, len(s.X))
		for row := range values {
			values[row] = s.X[row][f]
		}
		columns = append(columns, dataset.ColumnData{Name: string(rune('a' + f)), Values: values})
	}
	table, err := dataset.FromColumns(columns, append(options, dataset.Label("y"), dataset.Group("q"))...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func shownParams() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Gradients = "lambdarank", 12, 0.1, "f32"
	p.Tree.Leaves, p.Tree.MinDataInLeaf = 4, 20
	return p
}

// Positions have the effect that they have in LightGBM: scores after 1, 4 and 12 rounds are its own, to what its table of sigmoids costs.
func TestPositionBias(t *testing.T) {
	s := readShown(t)
	shown := s.table(t, dataset.Position("place"))
	for _, c := range []struct {
		name string
		l2   float64
		want [][]float64
	}{
		{"positions", 0, s.Plain},
		{"penalised", 2, s.Penalised},
	} {
		for i, rounds := range []int{1, 4, 12} {
			p := shownParams()
			p.Rounds, p.PositionL2 = rounds, c.l2
			got, err := train(t, p, shown).Predict(t.Context(), shown)
			if err != nil {
				t.Fatal(err)
			}
			most := 0.0
			for row, v := range got {
				most = max(most, math.Abs(v-c.want[i][row]))
			}
			if t.Logf("%s, %d rounds: %.2g", c.name, rounds, most); most > 5e-5 {
				t.Errorf("%s: after %d rounds a score is %v from LightGBM's", c.name, rounds, most)
			}
		}
	}
}

// Biases go with checkpoints, and neither threads nor where the rows of a query stand change a byte.
func TestPositionBiasSameBytes(t *testing.T) {
	s := readShown(t)
	table := s.table(t, dataset.Position("place"))
	for _, boosting := range []string{booster.PlainBoosting, booster.DartBoosting} {
		p := shownParams()
		p.Gradients, p.Boosting, p.PositionL2, p.Threads = "i16", boosting, 1, 1
		if boosting == booster.DartBoosting {
			p.Dart.DropRate, p.Dart.SkipDrop = 0.4, 0.2
		}
		want := bytesOf(t, train(t, p, table))
		p.Threads = 3
		if !bytes.Equal(bytesOf(t, train(t, p, table)), want) {
			t.Errorf("%s: three threads make other bytes", boosting)
		}
		saves := booster.Checkpoints{Dir: t.TempDir(), Every: booster.CheckpointEvery{Rounds: 1}}
		if err := stopped(t, 5, p, table, booster.WithCheckpoints(saves)); err == nil {
			t.Fatal("the run was not stopped")
		}
		saves.Resume = true
		if !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithCheckpoints(saves))), want) {
			t.Errorf("%s: a resumed run makes other bytes", boosting)
		}
	}
}

// What cannot learn positions says so.
func TestPositionsRefused(t *testing.T) {
	s := readShown(t)
	shown, plain := s.table(t, dataset.Position("place")), s.table(t, dataset.Ignore("place"))
	for _, c := range []struct {
		table  *dataset.Table
		change func(p *booster.Params)
		want   string
	}{
		{shown, func(p *booster.Params) { p.Objective = "rank_xendcg" }, "learned by objective lambdarank, not rank_xendcg"},
		{shown, func(p *booster.Params) { p.Objective = "regression" }, "learned by objective lambdarank, not regression"},
		{shown, func(p *booster.Params) { p.Boosting, p.Tree.ColNode = booster.RandomForest, 0.7 }, "a random forest has no rounds"},
		{plain, func(p *booster.Params) { p.PositionL2 = 1 }, `name their column, data.position = "…"`},
		{shown, func(p *booster.Params) { p.PositionL2 = -1 }, "objective.position_l2"},
	} {
		p := shownParams()
		c.change(&p)
		if _, err := booster.Train(t.Context(), p, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// A column and LightGBM's file beside the table tell the same; a file that is too short is an error.
func TestPositionsInFiles(t *testing.T) {
	s := readShown(t)
	var columns, rows, positions strings.Builder
	columns.WriteString("y,a,b,c,qid,position\n")
	rows.WriteString("y,a,b,c\n")
	for i, x := range s.X {
		fmt.Fprintf(&columns, "%v,%v,%v,%v,%v,%v\n", s.Y[i], x[0], x[1], x[2], s.Query[i]+1, s.Position[i])
		fmt.Fprintf(&rows, "%v,%v,%v,%v\n", s.Y[i], x[0], x[1], x[2])
		fmt.Fprintln(&positions, s.Position[i])
	}
	path := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := func(path string, options ...dataset.Option) *dataset.Table {
		table, err := dataset.Open(t.Context(), path, append(options, dataset.Label("y"))...)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	own := open(path("own.csv", columns.String()), dataset.Group("qid"), dataset.Position("position"))
	beside := path("beside.csv", rows.String())
	for ending, text := range map[string]string{".query": strings.Repeat("8\n", len(s.X)/8), ".position": positions.String()} {
		if err := os.WriteFile(beside+ending, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := shownParams()
	if !bytes.Equal(bytesOf(t, train(t, p, own)), bytesOf(t, train(t, p, open(beside)))) {
		t.Error("positions in a file make another model than those in a column")
	}
	for text, want := range map[string]string{"1\n2\n": "2", "top\n": "a number, and each line holds the position of one row"} {
		if err := os.WriteFile(beside+".position", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.Open(t.Context(), beside, dataset.Label("y")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
