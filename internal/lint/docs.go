package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Command is one line of a fenced shell block of a document.
type Command struct {
	File string
	Line int
	Text string
}

// ShellBlocks returns the commands in the ```sh blocks of a document, in
// order. Lines that end in a backslash are joined; comments and empty lines
// are left out.
func ShellBlocks(file string, text []byte) []Command {
	var commands []Command
	inside, open := false, false
	for i, line := range strings.Split(string(text), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case !inside:
			inside = trimmed == "```sh"
			continue
		case trimmed == "```":
			inside, open = false, false
			continue
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			continue
		}
		body, more := strings.CutSuffix(trimmed, "\\")
		body = strings.TrimSpace(body)
		if open {
			commands[len(commands)-1].Text += " " + body
		} else {
			commands = append(commands, Command{file, i + 1, body})
		}
		open = more
	}
	return commands
}

// Programs returns the ```go blocks of a document that are whole programs.
func Programs(text []byte) []string {
	var programs []string
	for _, block := range goBlock.FindAllSubmatch(text, -1) {
		if strings.Contains(string(block[1]), "package main\n") {
			programs = append(programs, string(block[1]))
		}
	}
	return programs
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// CheckCommands returns the commands in the tree's documents that name what
// does not exist: a make target, a package, a script, a command or a flag of
// boost. It runs nothing.
func (t *Tree) CheckCommands() ([]string, error) {
	known, err := t.knownCommands()
	if err != nil {
		return nil, err
	}
	return t.eachText(func(file string, text []byte) []string {
		if !strings.HasSuffix(file, ".md") {
			return nil
		}
		var findings []string
		for _, c := range ShellBlocks(file, text) {
			for _, wrong := range known.check(c.Text) {
				findings = append(findings, fmt.Sprintf("%s:%d: %s", c.File, c.Line, wrong))
			}
		}
		return findings
	})
}

// vocabulary is what a document's commands may name.
type vocabulary struct {
	root     string
	targets  map[string]bool // of make
	commands map[string]bool // of boost
	flags    string          // sources that declare boost's flags
}

var (
	makeTarget  = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	cobraUse    = regexp.MustCompile(`Use:\s+"([a-z]+)`)
	separators  = regexp.MustCompile(`&&|\|\||[|;]`)
	environment = regexp.MustCompile(`^[A-Z_0-9]+=`)
)

func (t *Tree) knownCommands() (*vocabulary, error) {
	known := &vocabulary{root: t.Root, targets: map[string]bool{}, commands: map[string]bool{"help": true, "completion": true}}
	files, err := t.Files()
	if err != nil {
		return nil, err
	}
	var flags strings.Builder
	for _, file := range files {
		isMake := file == "Makefile" || strings.HasSuffix(file, ".mk")
		isProgram := strings.HasPrefix(file, "cmd/boost/") && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
		if !isMake && !isProgram {
			continue
		}
		text, err := t.Read(file)
		if err != nil {
			return nil, err
		}
		if isMake {
			for _, m := range makeTarget.FindAllSubmatch(text, -1) {
				known.targets[string(m[1])] = true
			}
			continue
		}
		flags.Write(text)
		for _, m := range cobraUse.FindAllSubmatch(text, -1) {
			known.commands[string(m[1])] = true
		}
	}
	known.flags = flags.String()
	return known, nil
}

// check returns what is wrong with one line of shell.
func (v *vocabulary) check(line string) []string {
	var wrong []string
	for _, part := range separators.Split(line, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && environment.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 {
			wrong = append(wrong, v.checkWords(words)...)
		}
	}
	return wrong
}

func (v *vocabulary) checkWords(words []string) []string {
	switch name := words[0]; {
	case name == "make":
		return v.checkMake(words[1:])
	case name == "go":
		return v.checkGo(words[1:])
	case strings.HasPrefix(name, ".ci/"):
		if !v.exists(name) {
			return []string{fmt.Sprintf("%s does not exist", name)}
		}
	case name == "boost" || name == "./boost" || name == "bin/boost":
		return v.checkBoost(words[1:])
	}
	return nil
}

func (v *vocabulary) checkMake(words []string) []string {
	var wrong []string
	for _, word := range words {
		if !strings.Contains(word, "=") && !strings.HasPrefix(word, "-") && !v.targets[word] {
			wrong = append(wrong, fmt.Sprintf("make %s: no such target", word))
		}
	}
	return wrong
}

func (v *vocabulary) checkGo(words []string) []string {
	var wrong []string
	for i, word := range words {
		if !strings.HasPrefix(word, "./") || i > 0 && words[i-1] == "-o" {
			continue
		}
		if dir := strings.TrimSuffix(word, "/..."); !v.exists(dir) {
			wrong = append(wrong, fmt.Sprintf("go %s: %s does not exist", words[0], dir))
		}
		if words[0] == "run" {
			if word == "./cmd/boost" {
				wrong = append(wrong, v.checkBoost(words[i+1:])...)
			}
			break // what follows are the program's own arguments
		}
	}
	return wrong
}

func (v *vocabulary) checkBoost(words []string) []string {
	var wrong []string
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") && !v.commands[words[0]] {
		wrong = append(wrong, fmt.Sprintf("boost %s: no such command", words[0]))
	}
	for _, word := range words {
		flag, long := strings.CutPrefix(word, "--")
		flag, _, _ = strings.Cut(flag, "=")
		if long && flag != "" && flag != "help" && !strings.Contains(v.flags, `"`+flag+`"`) {
			wrong = append(wrong, fmt.Sprintf("boost: no flag --%s", flag))
		}
	}
	return wrong
}

func (v *vocabulary) exists(file string) bool {
	_, err := os.Stat(filepath.Join(v.root, filepath.FromSlash(file)))
	return err == nil
}
