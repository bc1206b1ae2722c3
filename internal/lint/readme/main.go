// Command readme prints the commands of a document's shell blocks, one a line,
// so that CI can run what a reader is told to type. -skip leaves out a line
// that CI has run already.
package main

import (
	"flag"
	"fmt"
	"os"

	"boost/internal/lint"
)

func main() {
	skip := flag.String("skip", "", "a command to leave out, as it stands in the document")
	flag.Parse()
	for _, file := range flag.Args() {
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "readme:", err)
			os.Exit(1)
		}
		for _, c := range lint.ShellBlocks(file, text) {
			if c.Text != *skip {
				fmt.Println(c.Text)
			}
		}
	}
}
