// Command requirements runs the proofs of docs/requirements.md and rewrites
// its columns proofs and result.
//
// In: the matrix, and the events of go test -json. Out: the matrix, the same
// bytes for the same results. It knows names of tests, never what they test.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"boost/internal/lint"
)

const matrixFile = "docs/requirements.md"

func main() {
	from := flag.String("from", "", "read the events of go test -json from this file instead of running the tests")
	check := flag.Bool("check", false, "write nothing; fail where the matrix claims more than the run proves")
	bench := flag.Bool("bench", true, "run the listed benchmarks too; without it their recorded results stay (-from and -check never run them)")
	only := flag.String("benchmarks", "", "run only the listed benchmarks whose whole names match this expression, or find them in the events of -from; the others' recorded results stay")
	flag.Parse()
	chosen, err := choose(*bench && *from == "" && !*check, *only)
	if err == nil {
		err = run(*from, *check, chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

// choose returns which benchmarks run: all or none, or those of an expression.
func choose(all bool, only string) (func(name string) bool, error) {
	if only == "" {
		return func(string) bool { return all }, nil
	}
	expression, err := regexp.Compile("^(?:" + only + ")$")
	if err != nil {
		return nil, fmt.Errorf("-benchmarks: %w", err)
	}
	return expression.MatchString, nil
}

func run(from string, check bool, bench func(name string) bool) error {
	tree, err := lint.Find(".")
	if err != nil {
		return err
	}
	text, err := tree.Read(matrixFile)
	if err != nil {
		return err
	}
	matrix, err := parseMatrix(text)
	if err != nil {
		return fmt.Errorf("%s: %w", matrixFile, err)
	}
	log, err := tests(tree, from)
	if err != nil {
		return err
	}
	if from == "" {
		if err := benchmarks(tree, matrix, log, bench); err != nil {
			return err
		}
	}
	decided, err := decisions(tree)
	if err != nil {
		return err
	}
	matrix.judge(log, decided, bench)
	for _, warning := range matrix.unknown(log) {
		fmt.Fprintln(os.Stderr, "requirements:", warning)
	}
	fmt.Println(matrix.summary())
	failed := log.printFailures(os.Stdout)
	if check {
		return checked(matrix, failed)
	}
	if err := os.WriteFile(filepath.Join(tree.Root, matrixFile), matrix.format(), 0o644); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d tests failed", failed)
	}
	return nil
}

// checked turns what a check found into its outcome.
func checked(matrix *matrix, failed int) error {
	if failed > 0 {
		return fmt.Errorf("%d tests failed", failed)
	}
	if lost := matrix.lost(); len(lost) > 0 {
		return fmt.Errorf("%s claims more than this run proves (make requirements rewrites it):\n%s", matrixFile, strings.Join(lost, "\n"))
	}
	return nil
}

// tests returns the events of all tests, run now or earlier.
func tests(tree *lint.Tree, from string) (*events, error) {
	if from == "" {
		return goTest(tree, "./...")
	}
	file, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readEvents(file, tree.Module)
}

// goTest runs go test -json with args. A failing test is a result, not an
// error.
func goTest(tree *lint.Tree, args ...string) (*events, error) {
	command := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	command.Dir = tree.Root
	command.Stderr = os.Stderr
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return readEvents(bytes.NewReader(out), tree.Module)
}

// benchmarks runs those of the benchmarks that the matrix needs and that exist which are
// chosen, each in its own package, and adds their events to log.
func benchmarks(tree *lint.Tree, matrix *matrix, log *events, chosen func(name string) bool) error {
	names := slices.DeleteFunc(matrix.benchmarks(), func(name string) bool { return !chosen(name) })
	if len(names) == 0 {
		return nil
	}
	where, err := declared(tree, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, dir := range where[name] {
			fmt.Printf("benchmark %s in %s\n", name, dir)
			more, err := goTest(tree, "-timeout=60m", "-run=^$", "-bench=^Benchmark"+name+"$", "./"+dir)
			if err != nil {
				return err
			}
			log.add(more)
		}
	}
	return nil
}

// declared returns the folders whose tests declare each benchmark.
func declared(tree *lint.Tree, names []string) (map[string][]string, error) {
	files, err := tree.Files()
	if err != nil {
		return nil, err
	}
	where := map[string][]string{}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := tree.Read(file)
		if err != nil {
			return nil, err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		for _, name := range names {
			if bytes.Contains(text, []byte("\nfunc Benchmark"+name+"(")) && !slices.Contains(where[name], dir) {
				where[name] = append(where[name], dir)
			}
		}
	}
	return where, nil
}

// printFailures writes the output of what failed and returns how many did.
func (e *events) printFailures(w io.Writer) int {
	failed := e.failures()
	for _, f := range failed {
		fmt.Fprintf(w, "--- FAIL: %s %s\n%s", f.pkg, f.test, f.output)
	}
	return len(failed)
}
