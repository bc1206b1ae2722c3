// Command rename gives the tree another module path: in the imports of every
// Go file, in go.mod files, nested modules included, and in the documents'
// imports. It changes the checkout that it is run in.
package main

import (
	"errors"
	"fmt"
	"os"

	"boost/internal/lint"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: go run ./internal/rename MODULE")
	}
	tree, err := lint.Find(".")
	if err != nil {
		return err
	}
	changed, err := Rename(tree, args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%s is now %s: %d files changed\n", tree.Module, args[0], changed)
	return nil
}
