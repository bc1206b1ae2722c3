package lint

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

// instruction is one line of a compiler's listing (-gcflags=-S): address,
// decimal address, position and mnemonic. The position is that of the source
// line even where the code was inlined elsewhere.
var instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ [0-9]+ \((.+):([0-9]+)\)\t([A-Z0-9]+)`)

// FusedInstructions reads a compiler's listing and returns the fused
// multiply-adds in it, each once, but for those of internal/detmath/fma.go,
// and how many instructions it read, which is 0 where the listing was not one.
func (t *Tree) FusedInstructions(listing io.Reader) (findings []string, instructions int, err error) {
	seen := map[string]bool{}
	lines := bufio.NewReader(listing)
	for {
		line, err := lines.ReadString('\n')
		if m := instruction.FindStringSubmatch(line); m != nil {
			instructions++
			if fusedMnemonic.MatchString(m[3]) {
				finding := t.fused(m[1], m[2], m[3])
				if finding != "" && !seen[finding] {
					seen[finding] = true
					findings = append(findings, finding)
				}
			}
		}
		if err == io.EOF {
			return findings, instructions, nil
		}
		if err != nil {
			return findings, instructions, err
		}
	}
}

// fused words a finding; it is empty where the position may fuse.
func (t *Tree) fused(file, line, mnemonic string) string {
	file = filepath.ToSlash(file)
	for _, prefix := range []string{filepath.ToSlash(t.Root) + "/", t.Module + "/"} {
		if below, ok := strings.CutPrefix(file, prefix); ok {
			file = below
			break
		}
	}
	if file == fmaFile {
		return ""
	}
	return fmt.Sprintf("%s:%s: compiled to %s, which rounds once: write float64(x*y) + z", file, line, mnemonic)
}
