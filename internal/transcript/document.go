package main

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	open   = "```console"
	closed = "```"
	prompt = "$ "
)

// replayed is a document with the outputs of now.
type replayed struct {
	text    string
	changed []output
}

// output is one that is other than in the document.
type output struct {
	line               int
	command, want, got string
}

// replay runs the commands of a document in order. An output that is as the document says, but for what
// may differ, is left as it is.
func replay(text string, run func(command string) (string, error)) (*replayed, error) {
	var d replayed
	var b strings.Builder
	lines := strings.SplitAfter(text, "\n")
	inside := false
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		b.WriteString(lines[i])
		switch {
		case !inside:
			inside = line == open
			continue
		case line == closed:
			inside = false
			continue
		case !strings.HasPrefix(line, prompt):
			return nil, fmt.Errorf("line %d: a block has to begin with a line \"$ COMMAND\"", i+1)
		}
		begin, command := i, strings.TrimPrefix(line, prompt)
		for strings.HasSuffix(command, "\\") && i+1 < len(lines) {
			i++
			b.WriteString(lines[i])
			command = strings.TrimSuffix(command, "\\") + strings.TrimSpace(lines[i])
		}
		var want strings.Builder
		for i+1 < len(lines) {
			if next := lines[i+1]; strings.TrimRight(next, "\r\n") == closed || strings.HasPrefix(next, prompt) {
				break
			}
			i++
			want.WriteString(lines[i])
		}
		got, err := run(command)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", begin+1, err)
		}
		if settled(got) == settled(want.String()) {
			got = want.String()
		} else {
			d.changed = append(d.changed, output{begin + 1, command, want.String(), got})
		}
		b.WriteString(got)
	}
	if inside {
		return nil, fmt.Errorf("the last block has no end")
	}
	d.text = b.String()
	return &d, nil
}

// What no two runs have in common: times, amounts of memory, the width of columns of them, and the line
// of a run's stages, which names those that took long.
var (
	stages   = regexp.MustCompile(`(?m)^time .*$`)
	measured = regexp.MustCompile(`\d[\d,]*(\.\d+)? ?(µs|ms|s|min|h|[KMGT]i?B at most)\b`)
	spaces   = regexp.MustCompile(`[ \t]+`)
)

// settled is an output without what is measured.
func settled(text string) string {
	return spaces.ReplaceAllString(measured.ReplaceAllString(stages.ReplaceAllString(text, "time"), "…"), " ")
}
