package peers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// UpdateDocument puts the session's section, the summaries of the sessions kept in folder and
// what is known of their rows' quality into the Markdown file at path, in place of those of
// before; the rest of the file stays. A new section goes to the end. A nil session has none.
func (s *Session) UpdateDocument(path, folder string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(old) == 0 {
		old = []byte("# Performance\n")
	}
	last, qualities := map[string]*Session{}, map[string]*Quality{}
	var list []*Quality
	var histories []*History
	for _, row := range Rows() {
		h, err := Open(folder, row.Name)
		if err != nil {
			return err
		}
		last[row.Name], histories = h.Latest(), append(histories, h)
		q, err := OpenQuality(QualityFolder(folder), row.Name)
		if err != nil {
			return err
		}
		if q != nil {
			qualities[row.Name], list = q, append(list, q)
		}
	}
	var b strings.Builder
	Summary(&b, last, qualities)
	text := ReplaceSection(string(old), "peers summary", b.String())
	b.Reset()
	Machines(&b, histories)
	text = ReplaceSection(text, "peers machines", b.String())
	b.Reset()
	QualityReport(&b, list)
	text = ReplaceSection(text, "peers quality", b.String())
	if s != nil {
		text = ReplaceSection(text, "peers "+s.Row.Name, s.section())
	}
	return os.WriteFile(path, []byte(text), 0o666)
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
