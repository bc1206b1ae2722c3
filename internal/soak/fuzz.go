package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// fuzzing is the campaign that runs the tree's fuzz targets.
const fuzzing = "fuzz"

var (
	fuzzTarget = regexp.MustCompile(`(?m)^func Fuzz[A-Z]\w*\(`)
	// fuzzLine is what .ci/fuzz prints of a target: its folder, name and executions.
	fuzzLine = regexp.MustCompile(`(?m)^fuzz: (\S+ Fuzz\w+): fuzz: elapsed: .*execs: (\d+)`)
)

// runFuzz gives each target its share of a time, and counts its executions. A case is a target.
func (s *soak) runFuzz(ctx context.Context, limit time.Duration) (cases, failures int) {
	targets, err := countTargets(".")
	if err == nil {
		each := max(time.Second, limit*time.Duration(runtime.NumCPU())/time.Duration(targets))
		cmd := exec.CommandContext(ctx, ".ci/fuzz", each.Round(time.Second).String())
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

// countTargets counts the fuzz targets of a tree.
func countTargets(root string) (n int, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		n += len(fuzzTarget.FindAll(text, -1))
		return err
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("no fuzz target below %s", root)
	}
	return n, err
}
