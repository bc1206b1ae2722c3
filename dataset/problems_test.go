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

// A line of text that repeats the names of the columns is found in a table of text too, and in one with a single column of numbers.
func TestNamesOnceMoreInText(t *testing.T) {
	for _, test := range []struct {
		head, rows string
		found      bool
	}{
		{"s,t,u\n", "a,b,c\nd,e,f\n", true},
		{"s,n,u\n", "a,1,c\nd,2,f\n", true},
		{"n,t\n", "1,b\n2,e\n", true},
		{"s,t\n", "a,b\nd,e\n", false}, // two texts may be a row
	} {
		for _, opts := range [][]dataset.Option{nil, {dataset.ChunkSize(64)}} {
			rows := strings.Repeat(test.rows, 20)
			_, err := read(test.head+rows+test.head+rows, append(opts, dataset.Label(test.head[:1]))...) // a named column says that the first line has names
			if found := err != nil && strings.HasPrefix(err.Error(), "t.csv:42: the names of the columns stand here once more"); found != test.found {
				t.Errorf("%q: %v", test.head, err)
			}
		}
	}
	if _, err := read("s,t,u\n"+strings.Repeat("a,b,c\n", 20)+"s,t,c\na,b,u\n", dataset.Label("s")); err != nil { // not in one line
		t.Error(err)
	}
}

// A line that repeats the names of the columns is one problem, also where a byte order mark begins it.
func TestNamesOnceMore(t *testing.T) {
	rows := strings.Repeat("1,2,a\n3,4,b\n", 20)
	for _, mark := range []string{"", "\ufeff"} {
		_, err := read(mark + "y,x,t\n" + rows + mark + "y,x,t\n" + rows)
		want := `t.csv:42: the names of the columns stand here once more, as where files are joined (delete such lines, or give the files one beside the other, or set on_bad_row = "skip" to leave such rows out)`
		if !errors.Is(err, dataset.ErrTable) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for _, line := range []string{"y,5,t\n", "y,z,t\n"} { // names of columns, and something else
		if _, err := read("y,x,t\n"+rows+line, dataset.Label("y")); err == nil || !strings.Contains(err.Error(), `column "y": "y" is not a number`) {
			t.Errorf("%q: %v", line, err)
		}
	}
}
