// Command listing compiles the packages that reach a model for the targets
// whose compilers fuse multiplications with additions, reads the listings and
// exits 1 where a fused instruction stands in one.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"boost/internal/lint"
)

// targets are the builds whose code may fuse.
var targets = [][]string{
	{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"},
	{"GOOS=linux", "GOARCH=arm64"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "listing:", err)
		os.Exit(1)
	}
}

func run() error {
	tree, err := lint.Find(".")
	if err != nil {
		return err
	}
	packages, err := tree.Packages()
	if err != nil {
		return err
	}
	if packages, err = lint.ModelPackages(packages); err != nil {
		return err
	}
	clean := true
	for _, target := range targets {
		name := strings.Join(target, " ")
		findings, instructions, err := compile(tree, packages, target)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range findings {
			clean = false
			fmt.Fprintf(os.Stderr, "%s: %s\n", name, f)
		}
		fmt.Printf("%s: %d packages, %d instructions, %d fused\n", name, len(packages), instructions, len(findings))
	}
	if !clean {
		return errors.New("fused instructions give a model other bytes on other machines")
	}
	return nil
}

func compile(tree *lint.Tree, packages []lint.Package, target []string) ([]string, int, error) {
	args := []string{"build", "-gcflags=-S", "-o", os.DevNull}
	for _, p := range packages {
		args = append(args, "./"+p.Path)
	}
	command := exec.Command("go", args...)
	command.Dir = tree.Root
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), target...)
	listing, err := command.StderrPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := command.Start(); err != nil {
		return nil, 0, err
	}
	findings, instructions, err := tree.FusedInstructions(listing)
	if waited := command.Wait(); waited != nil {
		return nil, 0, fmt.Errorf("%w\n%s", waited, diagnostics(command))
	}
	if err == nil && instructions == 0 {
		err = errors.New("the compiler printed no listing")
	}
	return findings, instructions, err
}

// diagnostics builds once more without the listing, whose lines hide what is
// wrong with the code.
func diagnostics(failed *exec.Cmd) []byte {
	args := slices.DeleteFunc(slices.Clone(failed.Args[1:]), func(a string) bool { return a == "-gcflags=-S" })
	command := exec.Command("go", args...)
	command.Dir, command.Env = failed.Dir, failed.Env
	text, _ := command.CombinedOutput()
	return text
}
