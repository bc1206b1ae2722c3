package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fuzzing is the campaign that runs the tree's fuzz targets.
const fuzzing = "fuzz"

var (
	fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz[A-Z]\w*)\(`)
	// fuzzLine is what .ci/fuzz prints of a target: its folder, name and executions.
	fuzzLine = regexp.MustCompile(`(?m)^fuzz: (\S+ Fuzz\w+): fuzz: elapsed: .*execs: (\d+)`)
)

// enough is how many executions of a target all runs of a record come to, after which others get its time.
const enough = 10_000_000

// turn is what a target is given at least, where there are others.
const turn = 2 * time.Minute

// runFuzz divides a time among targets, and counts their executions. A case is a target. Those that were executed often
// enough are left out. Of the others those with the most executions take part, so many that each has a turn.
func (s *soak) runFuzz(ctx context.Context, limit time.Duration) (cases, failures int) {
	targets, err := listTargets(".")
	if err == nil {
		var rare []string
		for _, t := range targets {
			s.fuzz[t] += 0 // is in the record without an execution, too
			if s.fuzzed[t] < enough {
				rare = append(rare, t)
			}
		}
		slices.SortStableFunc(rare, func(a, b string) int { return cmp.Compare(s.fuzzed[b], s.fuzzed[a]) })
		all := limit * time.Duration(runtime.NumCPU())
		rare = rare[:min(len(rare), max(1, int(all/turn)))]
		each := max(time.Second, all/time.Duration(max(len(rare), 1)))
		for i := range rare {
			rare[i] = strings.Replace(rare[i], " ", ":", 1)
		}
		cmd := exec.CommandContext(ctx, ".ci/fuzz", append([]string{each.Round(time.Second).String()}, rare...)...)
		cmd.WaitDelay = time.Second
		var errs strings.Builder
		cmd.Stderr = &errs
		var out []byte
		out, err = cmd.Output()
		for _, m := range fuzzLine.FindAllStringSubmatch(string(out), -1) {
			n, _ := strconv.ParseInt(m[2], 10, 64) // digits
			s.fuzz[m[1]] += n
			cases++
		}
		if err != nil && ctx.Err() == nil {
			fmt.Printf("FAILED fuzz: %v\n%s\n", err, errs.String())
		}
	}
	if err != nil && ctx.Err() == nil {
		failures = 1
	}
	return cases, failures
}

// listTargets returns the fuzz targets of a tree, each as its folder and name.
func listTargets(root string) (targets []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range fuzzTarget.FindAllSubmatch(text, -1) {
			targets = append(targets, filepath.ToSlash(filepath.Dir(path))+" "+string(m[1]))
		}
		return err
	})
	if err == nil && len(targets) == 0 {
		err = fmt.Errorf("no fuzz target below %s", root)
	}
	return targets, err
}
