package metrics_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/objectives/metrics"
)

// docs/metrics.md has a row for every metric, with its other names and which values are better.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	missing := metrics.Names()
	for _, line := range regexp.MustCompile("(?m)^\\| `.*$").FindAllString(string(text), -1) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), " | ")
		if len(cells) != 4 {
			t.Errorf("%d cells, want 4: %s", len(cells), line)
			continue
		}
		written := strings.Trim(cells[0], "| `")
		m, err := metrics.New(written)
		if err != nil {
			t.Error(err)
			continue
		}
		better := map[bool]string{false: "lower", true: "higher"}[m.HigherIsBetter()]
		if cells[2] != better {
			t.Errorf("%s: better is %q, want %q", written, cells[2], better)
		}
		info, _ := metrics.Lookup(written)
		var names []string
		for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(cells[3], -1) {
			names = append(names, strings.Trim(name, "`"))
		}
		if !slices.Equal(names, info.Aliases) {
			t.Errorf("%s: other names are %q, want %q", written, names, info.Aliases)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == info.Name })
	}
	if len(missing) > 0 {
		t.Errorf("docs/metrics.md has no row for %v", missing)
	}
}
