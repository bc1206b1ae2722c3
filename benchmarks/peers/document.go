package peers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// DetailsPath is the Markdown file of all figures of the sessions kept in folder: it lies beside it.
func DetailsPath(folder string) string { return filepath.Clean(folder) + ".md" }

// UpdateDocument puts the summary of the sessions kept in folder into the Markdown file at path, and
// the session's figures, those of each processor and what is known of the rows' quality into that at
// DetailsPath, in place of those of before; the rest of both files stays. A nil session has no figures.
func (s *Session) UpdateDocument(path, folder string) error {
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
	var summary, machines, quality strings.Builder
	Summary(&summary, last, qualities)
	if err := ReplaceSections(path, "# Performance\n", Section{"peers summary", summary.String()}); err != nil {
		return err
	}
	Machines(&machines, histories)
	QualityReport(&quality, list)
	parts := []Section{{"peers machines", machines.String()}, {"peers quality", quality.String()}}
	if s != nil {
		parts = append(parts, Section{"peers " + s.Row.Name, s.section()})
	}
	return ReplaceSections(DetailsPath(folder), "# Training beside other trainers\n", parts...)
}

// Section is a marked part of a Markdown document.
type Section struct{ Name, Text string }

// ReplaceSections does ReplaceSection in the file at path, which begins with title where it is not there.
func ReplaceSections(path, title string, parts ...Section) error {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(b)
	if text == "" {
		text = title
	}
	for _, p := range parts {
		text = ReplaceSection(text, p.Name, p.Text)
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
