package cpu

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// host is a machine as its files tell it. Tests give it a made-up tree.
type host struct {
	files fs.FS // rooted at /; empty where there is no such tree
	cpus  int   // logical CPUs that the process may use, as Go counts them
	cores int   // physical cores as the CPU itself says, 0 if it does not
}

// read returns the file's text without surrounding space, "" if there is none.
func (h host) read(name string) string {
	text, err := fs.ReadFile(h.files, strings.TrimPrefix(path.Clean(name), "/"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func rootFiles() fs.FS { return os.DirFS("/") }

// parseList expands a kernel list of CPUs such as "0-3,8"; nil if it is none.
func parseList(text string) []int {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := strconv.ParseUint(first, 10, 16)
		if err != nil {
			return nil
		}
		hi := lo
		if isRange {
			if hi, err = strconv.ParseUint(last, 10, 16); err != nil || hi < lo {
				return nil
			}
		}
		for i := lo; i <= hi; i++ {
			list = append(list, int(i))
		}
	}
	return list
}

// parseSize reads a kernel size such as "32K" or "1M"; 0 if it is none.
func parseSize(text string) int {
	shift := 0
	switch {
	case strings.HasSuffix(text, "K"):
		shift = 10
	case strings.HasSuffix(text, "M"):
		shift = 20
	case strings.HasSuffix(text, "G"):
		shift = 30
	}
	if shift > 0 {
		text = text[:len(text)-1]
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n > 1<<(40-shift) {
		return 0
	}
	return int(n) << shift
}
