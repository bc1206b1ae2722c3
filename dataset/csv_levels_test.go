package dataset_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"boost/dataset"
)

// Levels of 9 to 16 bytes that end alike stay apart, wherever their hashes, which differ from run to run, put them.
func TestLongLevelsApart(t *testing.T) {
	const rows, levels = 20_000, 2_000
	want := make([]string, rows)
	var csv strings.Builder
	csv.WriteString("a,b,y\n")
	for row := range want {
		want[row] = fmt.Sprintf("%04dabcd~~~~", row%levels)
		fmt.Fprintf(&csv, "%s,\"%s\",%d\n", want[row], want[row], row%7)
	}
	table, err := dataset.Read(t.Context(), bytes.NewReader([]byte(csv.String())), "t.csv", dataset.Label("y"), dataset.Categorical("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		c := table.Column(name)
		wrong := 0
		for row, code := range c.Codes() {
			if got := c.Levels()[code]; got != want[row] {
				if wrong++; wrong == 1 {
					t.Errorf("column %s, row %d: %q, want %q", name, row, got, want[row])
				}
			}
		}
		if wrong > 0 || len(c.Levels()) != levels {
			t.Errorf("column %s: %d rows of another level, %d levels instead of %d", name, wrong, len(c.Levels()), levels)
		}
	}
}
