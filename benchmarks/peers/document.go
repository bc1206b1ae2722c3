package peers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// UpdateDocument puts the session's section, and the summary of the last sessions kept in
// folder, into the Markdown file at path, in place of those of before; the rest of the
// file stays. A new section goes to the end.
func (s *Session) UpdateDocument(path, folder string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) == 0 {
		old = []byte("# Performance\n")
	}
	last := map[string]*Session{}
	for _, row := range Rows() {
		h, err := Open(folder, row.Name)
		if err != nil {
			return err
		}
		last[row.Name] = h.Latest()
	}
	var b strings.Builder
	Summary(&b, last)
	text := ReplaceSection(string(old), "peers summary", b.String())
	return os.WriteFile(path, []byte(ReplaceSection(text, "peers "+s.Row.Name, s.section())), 0o666)
}

// ReplaceSection puts text between the markers of the named section of a Markdown
// document, which is added at the end where it is not there.
func ReplaceSection(document, name, text string) string {
	begin := fmt.Sprintf("<!-- begin %s -->\n", name)
	end := fmt.Sprintf("<!-- end %s -->\n", name)
	before, rest, found := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return strings.TrimRight(document, "\n") + "\n\n" + begin + text + end
	}
	return before + begin + text + end + after
}
