package objectives_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/objectives"
)

// docs/objectives.md has a row for every loss, with its parameters, first metric and other names.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/objectives.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(cell string) (names []string) {
		for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(cell, -1) {
			names = append(names, strings.Trim(name, "`"))
		}
		return names
	}
	missing := objectives.Names()
	for _, line := range regexp.MustCompile("(?m)^\\| `.*$").FindAllString(string(text), -1) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|")
		if len(cells) != 8 {
			t.Errorf("%d cells, want 6: %s", len(cells)-2, line)
			continue
		}
		name := quoted(cells[1])[0]
		info, ok := objectives.Lookup(name)
		if !ok {
			t.Errorf("there is no objective %s", name)
			continue
		}
		for _, s := range objectives.Settings(&info.Takes) {
			if takes := !isZero(s.Value); takes != slices.Contains(quoted(cells[4]), s.Leaf()) {
				t.Errorf("%s: keys are %s, of %s it takes %v", name, cells[4], s.Name, takes)
			}
		}
		if first, err := objectives.DefaultMetrics(name, info.Link, objectives.Params{}); err != nil || first[0] != quoted(cells[5])[0] {
			t.Errorf("%s: %s leads, want %v (%v)", name, cells[5], first, err)
		}
		if names := quoted(cells[6]); !slices.Equal(names, info.Aliases) {
			t.Errorf("%s: other names are %q, want %q", name, names, info.Aliases)
		}
		missing = slices.DeleteFunc(missing, func(s string) bool { return s == name })
	}
	if len(missing) > 0 {
		t.Errorf("docs/objectives.md has no row for %v", missing)
	}
}

// docs/format.md names the link of every loss among those of models.
func TestDocsOfLinks(t *testing.T) {
	text, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `objective`, `link`.*$").FindString(string(text))
	for _, name := range objectives.Names() {
		if info, _ := objectives.Lookup(name); !strings.Contains(row, "`"+string(info.Link)+"`") {
			t.Errorf("the row of the link has no %s, which is that of %s", info.Link, name)
		}
	}
}

// isZero reports whether a parameter, given by its address, is left to the default.
func isZero(field any) bool {
	switch v := field.(type) {
	case *float64:
		return *v == 0
	case *[]float64:
		return *v == nil
	case *string:
		return *v == ""
	case *int:
		return *v == 0
	}
	panic("a parameter of another type")
}
