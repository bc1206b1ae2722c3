package lint

import (
	"strings"
	"testing"
)

func TestStructRule(t *testing.T) {
	fields := "\t_, _, _, _, _, _, _, _, _, _ int\n"
	full := "struct {\n" + fields + fields + "}\n"
	over := "struct {\n" + fields + fields + "\terror\n}\n"
	for text, bad := range map[string]bool{
		"type T " + full:                        false,
		"type T " + over:                        true,
		"// T has many fields.\ntype T " + over: true,
		"// T has many fields. It is flat\n// because scripts read.\ntype T " + over: false,
		"type (\n// T is flat because scripts read.\nT " + over + ")":                false,
	} {
		findings := checkStructs("a.go", []byte("package a\n\n"+text))
		if len(findings) > 0 != bad {
			t.Errorf("%s\ngot %q, want an error: %v", text, findings, bad)
		}
		if bad && (len(findings) != 1 || !strings.Contains(findings[0], "struct T has 21 fields")) {
			t.Errorf("%s\ngot %q", text, findings)
		}
	}
}
