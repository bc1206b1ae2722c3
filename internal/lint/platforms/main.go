// Command platforms type-checks the tree as it is on other platforms, GOOS/GOARCH each, and exits 1
// where one would not compile.
package main

import (
	"fmt"
	"os"
	"strings"

	"boost/internal/lint"
)

func main() {
	tree, err := lint.Find(".")
	for _, platform := range os.Args[1:] {
		if err == nil {
			goos, goarch, _ := strings.Cut(platform, "/")
			var n int
			n, err = tree.CheckPlatform(goos, goarch)
			fmt.Printf("%s: %d packages\n", platform, n)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}
