package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"boost/dataset"
)

// All columns of which something is wrong are reported together, in the order of the rows, with the first row that has
// not the cells of the others, however the text is cut.
func TestProblemsTogether(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,w,y\n")
	for i := range 40 {
		a, b, w, y := "1", "2", "1", "3"
		switch i {
		case 10, 30:
			w = "1,1"
		case 20:
			b = "bee"
		case 21:
			a = "ay"
		case 22:
			y = ""
		case 35:
			w = "much"
		}
		fmt.Fprintf(&text, "%s,%s,%s,%s\n", a, b, w, y)
	}
	want := []string{
		`t.csv:12: 5 cells, expected 4 as in the header`,
		`t.csv:22: column "b": "bee" is not a number, as 97.3 % of the column's cells are`,
		`t.csv:23: column "a": "ay" is not a number, as 97.3 % of the column's cells are`,
		`t.csv:24: column "y": the cell has no value, expected a label, and every row needs one`,
		`t.csv:37: column "w": "much" is not a number, and a weight has to be one`,
	}
	for _, size := range []int{1, 16, 1 << 20} {
		_, err := dataset.Read(context.Background(), strings.NewReader(text.String()), "t.csv", dataset.Label("y"), dataset.Weight("w"), dataset.ChunkSize(size))
		all := (dataset.ParseErrors)(nil)
		if !errors.As(err, &all) || !errors.Is(err, dataset.ErrTable) || len(all) != len(want) {
			t.Fatalf("chunks of %d bytes: error %v", size, err)
		}
		for i, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, want[i]) {
				t.Errorf("chunks of %d bytes: line %d is %s, want %s", size, i+1, line, want[i])
			}
		}
		if first := (*dataset.ParseError)(nil); !errors.As(err, &first) || first.Line != 12 {
			t.Errorf("the first is %v", first)
		}
	}
}

// The message shows twenty columns, and how many more there are.
func TestProblemsAreTwenty(t *testing.T) {
	head, usual, odd := "y", "1", "1"
	for i := range 25 {
		head += fmt.Sprintf(",c%d", i)
		usual += ",1"
		odd += ",odd"
	}
	text := head + "\n" + strings.Repeat(usual+"\n", 30) + odd + "\n"
	_, err := dataset.Read(context.Background(), strings.NewReader(text), "t.csv", dataset.Label("y"))
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != 21 || lines[20] != "and 5 more problems" || !strings.Contains(lines[19], `column "c19"`) {
		t.Errorf("error %v", err)
	}
}
