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
	"strings"

	"boost/internal/lint"
)

const matrixFile = "docs/requirements.md"

func main() {
	from := flag.String("from", "", "read the events of go test -json from this file instead of running the tests")
	check := flag.Bool("check", false, "write nothing; fail where the matrix claims more than the run and the records prove")
	bench := flag.Bool("bench", true, "run the benchmarks whose records are of other code (-from and -check never do)")
	only := flag.String("benchmarks", "", "run the benchmarks whose whole names match this expression, and no others")
	flag.Parse()
	if err := run(*from, *check, *bench && *from == "" && !*check, *only); err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

func run(from string, check, bench bool, only string) error {
	var chosen func(string) bool
	if only != "" {
		expression, err := regexp.Compile("^(?:" + only + ")$")
		if err != nil {
			return fmt.Errorf("-benchmarks: %w", err)
		}
		chosen = expression.MatchString
	}
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
	records, err := readRecords(tree)
	if err != nil {
		return err
	}
	if bench {
		wanted, err := matrix.wanted(tree)
		if err != nil {
			return err
		}
		save := func(records []record) error { return writeRecords(tree, records) }
		if records, err = measure(tree, wanted, records, chosen, save); err != nil {
			return err
		}
	}
	log, err := tests(tree, from)
	if err != nil {
		return err
	}
	decided, err := decisions(tree)
	if err != nil {
		return err
	}
	current, err := currentOf(tree, records)
	if err != nil {
		return err
	}
	matrix.judge(log, records, current, decided)
	for _, warning := range matrix.unknown(log) {
		fmt.Fprintln(os.Stderr, "requirements:", warning)
	}
	fmt.Println(matrix.summary())
	failed := log.printFailures(os.Stdout)
	if check {
		return checked(matrix, failed, notInHistory(tree, records))
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
func checked(matrix *matrix, failed int, strangers []string) error {
	if failed > 0 {
		return fmt.Errorf("%d tests failed", failed)
	}
	if len(strangers) > 0 {
		return fmt.Errorf("%s names commits that are not in the history: %s", recordsFile, strings.Join(strangers, ", "))
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

// printFailures writes the output of what failed and returns how many did.
func (e *events) printFailures(w io.Writer) int {
	failed := e.failures()
	for _, f := range failed {
		fmt.Fprintf(w, "--- FAIL: %s %s\n%s", f.pkg, f.test, f.output)
	}
	return len(failed)
}
