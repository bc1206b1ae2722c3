package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// ReplaceSection puts text between the markers of the named section of the Markdown file at path, which
// is added at the end where it is not there, as the file is.
func ReplaceSection(path, name, text string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(replaced(string(old), name, text)), 0o666)
}

func replaced(document, name, text string) string {
	begin := fmt.Sprintf("<!-- begin %s -->\n", name)
	end := fmt.Sprintf("<!-- end %s -->\n", name)
	before, rest, found := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return strings.TrimRight(document, "\n") + "\n\n" + begin + text + end
	}
	return before + begin + text + end + after
}
