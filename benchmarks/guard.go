package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/parts"
	"boost/benchmarks/synth"
	"boost/parallel"
)

func guardCommand() *cobra.Command {
	var s parts.Race
	var base string
	var rows int
	c := &cobra.Command{
		Use:   "guard",
		Short: "Compares the tree's speed with a commit's, in turns; prints ratios and never fails on one",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if s.Turns < 1 || rows < 1 {
				return errors.New("--turns and --rows must be at least 1")
			}
			ctx := cmd.Context()
			commit, why, err := baseCommit(ctx, base)
			if err != nil {
				return err
			}
			if s.Folder, err = os.MkdirTemp("", "guard"); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(s.Folder)) }()
			sides, clean, err := builds(ctx, s.Folder, commit)
			defer func() { err = errors.Join(err, clean()) }()
			if err != nil {
				return err
			}
			if err := guardTable(s, rows); err != nil {
				return err
			}
			f, err := s.Measure(ctx, sides)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%d × 28, %d rounds, %d threads, smallest of %d turns; base %.10s, %s\n%s; load average before the run %s\n\n",
				rows, s.Rounds, s.Threads, s.Turns, commit, why, harness.ThisMachine(), harness.LoadAverage())
			f.Table(out)
			return nil
		},
	}
	c.Flags().StringVar(&base, "base", "", "commit to compare with (default: the last release; before the first one, the commit that the tree stands on or the one before)")
	c.Flags().IntVar(&rows, "rows", 400_000, "rows of the table")
	c.Flags().IntVar(&s.Rounds, "rounds", 100, "boosting rounds")
	c.Flags().IntVar(&s.Threads, "threads", 2, "threads")
	c.Flags().IntVar(&s.Turns, "turns", 5, "turns of both builds; the smallest time of each stage counts")
	return c
}

// git returns what a git command prints, without the line's end.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// baseCommit returns the commit to compare with, and in words which one that is.
func baseCommit(ctx context.Context, name string) (commit, why string, err error) {
	why = "as asked"
	if name == "" {
		if name, err = git(ctx, "describe", "--tags", "--abbrev=0", "--match", "v*"); err == nil {
			why = "release " + name
		} else if changed, err := git(ctx, "status", "--porcelain"); err != nil {
			return "", "", err
		} else if changed != "" {
			name, why = "HEAD", "the last commit, since there is no release yet"
		} else {
			name, why = "HEAD^", "the commit before the last, since there is no release yet"
		}
	}
	commit, err = git(ctx, "rev-parse", "--verify", name+"^{commit}")
	return commit, why, err
}

// builds makes both programs in folder; clean takes the commit's files away again.
func builds(ctx context.Context, folder, commit string) (sides parts.Builds, clean func() error, err error) {
	clean = func() error { return nil }
	root, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return sides, clean, err
	}
	before := filepath.Join(folder, "base")
	if _, err := git(ctx, "worktree", "add", "--detach", before, commit); err != nil {
		return sides, clean, err
	}
	clean = func() error {
		// Not the caller's context: an interrupted run has to be cleaned up as well.
		_, err := git(context.WithoutCancel(ctx), "-C", root, "worktree", "remove", "--force", before)
		return err
	}
	sides = parts.Builds{Base: filepath.Join(folder, "boost-base"), Tree: filepath.Join(folder, "boost-tree")}
	for _, b := range [][2]string{{before, sides.Base}, {root, sides.Tree}} {
		build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", b[1], "./cmd/boost")
		build.Dir = b[0]
		if out, err := build.CombinedOutput(); err != nil {
			return sides, clean, fmt.Errorf("build of %s: %w\n%s", b[0], err, out)
		}
	}
	return sides, clean, nil
}

// guardTable writes the table as text.
func guardTable(s parts.Race, rows int) error {
	g, err := synth.New(synth.Dense, 1, 28)
	if err != nil {
		return err
	}
	pool := parallel.NewPool(s.Threads)
	defer pool.Close()
	return g.Write(s.Folder, rows, 1, pool)
}
