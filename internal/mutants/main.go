// Command mutants plants faults into a copy of the tree, one after another, and tells which of
// them the tests catch: go run ./internal/mutants. It takes some twenty minutes on two cores.
//
// In: the tree, and the faults of faults.go. Out: a table of the faults, and the test that caught
// each. A fault that no test catches asks for a test; it changes nothing else.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"boost/internal/lint"
)

// fault is a text that stands once in the files of a package, and what takes its place.
type fault struct {
	pkg, old, new string
}

func (f *fault) String() string { return fmt.Sprintf("%s: %s → %s", f.pkg, line(f.old), line(f.new)) }

// line writes a text in one line.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

func main() {
	only := flag.String("only", "", "plant only faults whose line in the table matches this expression")
	find := flag.Bool("find", false, "run no test: only look whether the text of each fault stands in the tree")
	timeout := flag.Duration("timeout", 4*time.Minute, "how long the tests of a package may take")
	flag.Parse()
	if err := run(*only, *find, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(only string, find bool, timeout time.Duration) error {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	tree, err := lint.Find(".")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(tree, dir); err != nil {
		return err
	}
	c := copied{dir, timeout}
	counts := map[string]int{}
	for i := range faults {
		f := &faults[i]
		if !chosen.MatchString(f.String()) {
			continue
		}
		outcome, by := c.try(f, find)
		counts[outcome]++
		fmt.Printf("| %d | %s | %s | %s |\n", i+1, strings.ReplaceAll(f.String(), "|", "\\|"), outcome, by)
	}
	fmt.Printf("%d caught, %d survived, %d not found or not built\n", counts[caught], counts[survived], counts[lost]+counts[unbuilt])
	if counts[lost]+counts[unbuilt] > 0 {
		return errors.New("faults.go no longer fits the tree")
	}
	return nil
}

// The outcomes of a fault.
const (
	caught   = "caught"
	survived = "**survived**"
	lost     = "**text not found once**"
	unbuilt  = "**does not build**"
	found    = "found"
)

// copyTree copies the files of a tree to a folder.
func copyTree(tree *lint.Tree, dir string) error {
	files, err := tree.Files()
	if err != nil {
		return err
	}
	for _, file := range files {
		b, err := tree.Read(file)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// copied is a copy of the tree that faults are planted into.
type copied struct {
	dir     string
	timeout time.Duration
}

// try plants a fault, runs the tests until one catches it, and takes it out again.
func (c *copied) try(f *fault, find bool) (outcome, by string) {
	file, text := c.find(f)
	switch {
	case file == "":
		return lost, ""
	case find:
		return found, filepath.Base(file)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte(f.old), []byte(f.new), 1), 0o666); err != nil {
		return lost, err.Error()
	}
	defer os.WriteFile(file, text, 0o666)
	if out, err := c.command("build", "./"+f.pkg).CombinedOutput(); err != nil {
		return unbuilt, line(string(out))
	}
	for _, pkg := range append([]string{f.pkg}, users(f.pkg)...) {
		if by := c.catcher(pkg); by != "" {
			return caught, pkg + " " + by
		}
	}
	return survived, ""
}

// catcher returns the first test of a package that fails, and fails again by itself: one that has
// failed by chance, on a busy machine for instance, has caught nothing.
func (c *copied) catcher(pkg string) string {
	var chance []string
	for {
		by := c.failure(pkg, "-skip=^("+strings.Join(chance, "|")+")$")
		test, _, _ := strings.Cut(by, "/")
		if by == "" || by == noTest || c.failure(pkg, "-run=^"+test+"$") != "" {
			return by
		}
		chance = append(chance, test)
	}
}

// find returns the one file of a fault's package that holds its text once, "" if there is none.
func (c *copied) find(f *fault) (file string, text []byte) {
	files, _ := filepath.Glob(filepath.Join(c.dir, f.pkg, "*.go"))
	times := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return "", nil
		}
		if n := bytes.Count(b, []byte(f.old)); n > 0 {
			times += n
			file, text = name, b
		}
	}
	if times != 1 {
		return "", nil
	}
	return file, text
}

// users returns the packages whose tests are to catch what those of a package itself do not.
func users(pkg string) []string {
	for {
		if list, ok := provers[pkg]; ok {
			return list
		}
		slash := strings.LastIndexByte(pkg, '/')
		if slash < 0 {
			return nil
		}
		pkg = pkg[:slash]
	}
}

// noTest stands for what fails without a test: a panic, or running out of time.
const noTest = "(no test by itself: a panic, or out of time)"

// failure returns the first test of a package that fails of those that a flag chooses, "" if none does.
func (c *copied) failure(pkg, which string) string {
	out, err := c.command("test", "-short", "-failfast", "-vet=off", "-json", "-timeout="+c.timeout.String(), which, "./"+pkg).Output()
	if err == nil {
		return ""
	}
	var event struct{ Action, Test string }
	for text := range bytes.Lines(out) {
		if json.Unmarshal(text, &event) == nil && event.Action == "fail" && event.Test != "" {
			return event.Test
		}
	}
	return noTest
}

// command is the go command in the copy, without the data sets that not everybody has.
func (c *copied) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "BOOST_SHARED=")
	return cmd
}
