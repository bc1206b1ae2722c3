package profile_test

import (
	"slices"
	"strings"
	"testing"

	"boost/dataset"
	"boost/internal/profile"
)

func TestMisspelt(t *testing.T) {
	rare := func(class string, rows int) string {
		return "y\n" + strings.Repeat("approved\nrejected\n", 50) + strings.Repeat(class+"\n", rows)
	}
	for _, c := range []struct{ name, text, want string }{
		{"typo", rare("aproved", 2), `class "aproved" of label "y" has only 2 rows, and nearly the name of "approved": write it so if it is meant`},
		{"too frequent", rare("aproved", 3), ""},
		{"short typo", "y\n" + strings.Repeat("yes\nno\n", 50) + "yess\n", `class "yess" of label "y" has only 1 row, and nearly the name of "yes": write it so if it is meant`},
		{"another word", rare("pending", 1), ""},
		{"case, which is said for all columns", rare("Rejected", 1), ""},
		{"another beginning", rare("disapproved", 1), ""},
		{"another number", "y\n" + strings.Repeat("class1\n", 50) + "class2\n", ""},
		{"short", "y\n" + strings.Repeat("yes\nno\n", 50) + "na\n", ""},
		{"numbers", "y\n" + strings.Repeat("1000\n2000\n", 50) + "1001\n", ""},
	} {
		table, err := dataset.Read(t.Context(), strings.NewReader(c.text), "t.csv", dataset.Label("y"))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if got := profile.Misspelt(table.LabelColumn()); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}
