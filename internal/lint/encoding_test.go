package lint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// macro is a line of a neon_arm64.h with the comment above it: a name, its parameters, and the
// instruction in the words of a disassembler.
var macro = regexp.MustCompile(`(?m)^// (.+)\n#define ([A-Z0-9]+)\(([a-z, ]+)\) WORD `)

// Each instruction that is written as a number is the one that its comment names: Go's disassembler
// says so, for registers with all bits in both states.
func TestEncodings(t *testing.T) {
	tree := here(t)
	headers, err := filepath.Glob(filepath.Join(tree.Root, "internal", "kernel", "*", "neon_arm64.h"))
	if err != nil || len(headers) == 0 {
		t.Fatalf("%d headers with instructions of arm64: %v", len(headers), err)
	}
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		macros := macro.FindAllStringSubmatch(string(text), -1)
		if defined := strings.Count(string(text), "#define "); defined != len(macros) {
			t.Errorf("%s: %d instructions, %d with a comment that names them", header, defined, len(macros))
		}
		var source strings.Builder
		fmt.Fprintf(&source, "%s\nTEXT ·f(SB),4,$0\n", text)
		var want []string
		for _, numbers := range []map[string]int{{"d": 1, "n": 2, "m": 4}, {"d": 30, "n": 29, "m": 27}} {
			for _, m := range macros {
				instruction := m[1]
				var arguments []string
				for parameter := range strings.SplitSeq(m[3], ", ") {
					arguments = append(arguments, fmt.Sprint(numbers[parameter]))
					name := regexp.MustCompile(`\b([A-Z])` + parameter + `\b`)
					instruction = name.ReplaceAllStringFunc(instruction, func(register string) string {
						return strings.ToLower(register[:1]) + fmt.Sprint(numbers[parameter])
					})
				}
				want = append(want, instruction)
				fmt.Fprintf(&source, "\t%s(%s)\n", m[2], strings.Join(arguments, ", "))
			}
		}
		got := disassembled(t, source.String())
		for i, instruction := range want {
			if i >= len(got) || got[i] != instruction {
				t.Errorf("%s: %s is %q", header, instruction, append(got, make([]string, len(want))...)[i])
			}
		}
	}
}

// disassembled assembles a function for arm64 and returns its instructions.
func disassembled(t *testing.T, source string) (instructions []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.s")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := func(arguments ...string) string {
		command := exec.Command("go", append([]string{"tool"}, arguments...)...)
		command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go tool %v: %v\n%s", arguments, err, out)
		}
		return string(out)
	}
	tool("asm", "-p", "f", "-o", file+".o", file)
	for line := range strings.Lines(tool("objdump", "-gnu", file+".o")) {
		if _, instruction, ok := strings.Cut(line, " // "); ok {
			instructions = append(instructions, strings.TrimSpace(instruction))
		}
	}
	return instructions
}
