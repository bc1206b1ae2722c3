package lint

import (
	"strings"
	"testing"
)

func TestWay(t *testing.T) {
	tree := here(t)
	packages, err := tree.Packages()
	if err != nil {
		t.Fatal(err)
	}
	text, err := tree.Read(wayPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range CheckWay(string(text), packages) {
		t.Error(f)
	}
}

// Every finding can be made.
func TestWayRules(t *testing.T) {
	packages := []Package{{Path: "a"}, {Path: "b", Imports: []string{"a"}}, {Path: "c", Imports: []string{"b"}}}
	for drawing, want := range map[string]string{
		"a → b → c": "",
		"a → c":     "c does not import a",
		"b → a":     "a does not import b",
		"a":         "is no arrow",
		"gone → a":  `no package "gone"`,
	} {
		got := CheckWay("# Page\n\n```way\n"+drawing+"\n```\n", packages)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0], want)) {
			t.Errorf("%q: got %q, want %q", drawing, got, want)
		}
	}
	if got := CheckWay("# Page\n", packages); len(got) != 1 {
		t.Errorf("no drawing: %q", got)
	}
}
