package sizes

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/benchmarks/harness"
	"boost/benchmarks/score"
)

// peerFiles are the columns of the peers' table, in order: peer, file, heading.
var peerFiles = []struct{ peer, file, title string }{
	{LightGBM, TextFile, "LightGBM text"},
	{"xgboost", "UBJ", "XGBoost UBJ"},
	{"xgboost", "JSON", "JSON"},
	{"catboost", "cbm", "CatBoost cbm, symmetric"},
	{"catboost-lossguide", "cbm", "cbm, Lossguide"},
}

// shown reports whether there is enough of a set for the tables.
func (s *Set) shown() bool {
	return len(s.Peers) > 0 && s.form(fullForm) != nil && s.form(boundName(Tight, false)) != nil && s.form(boundName(Wide, false)) != nil
}

// Write writes the sets of which enough is measured, as Markdown.
func (r *Record) Write(w io.Writer) {
	sets := slices.DeleteFunc(slices.Clone(r.Sets), func(s *Set) bool { return !s.shown() })
	writeTargets(w, sets)
	writeCertified(w, sets)
	writeParts(w, sets)
	writePeers(w, sets)
}

// table writes the head of a table: a heading for each column, numbers to the right.
func table(w io.Writer, title string, left int, columns ...string) {
	fmt.Fprintf(w, "\n**%s**\n\n| %s |\n|", title, strings.Join(columns, " | "))
	for i := range columns {
		if i < left {
			fmt.Fprint(w, "---|")
		} else {
			fmt.Fprint(w, "--:|")
		}
	}
	fmt.Fprintln(w)
}

func writeTargets(w io.Writer, sets []*Set) {
	columns := []string{"set", "test rows"}
	for _, t := range Targets {
		columns = append(columns, t.Name+" "+t.Bound())
	}
	table(w, "Targets", 1, columns...)
	figures, met := make([][]float64, len(Targets)), make([]int, len(Targets))
	for _, s := range sets {
		fmt.Fprintf(w, "| %s | %d |", s.Name, s.TestRows)
		for i, x := range s.reached() {
			if x == 0 {
				fmt.Fprint(w, " no such model, short |")
				continue
			}
			is, enough := Targets[i].Met(x)
			if is {
				met[i]++
			}
			figures[i] = append(figures[i], x)
			fmt.Fprintf(w, " %s%s, %s |", figure(x), Targets[i].Unit, verdict(is, enough))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| geometric mean | |")
	for i, t := range Targets {
		mean := "–"
		if len(figures[i]) > 0 {
			mean = figure(score.GeometricMean(figures[i])) + t.Unit
		}
		fmt.Fprintf(w, " %s, %d of %d pass |", mean, met[i], len(sets))
	}
	fmt.Fprintln(w)
}

func verdict(met, enough bool) string {
	switch {
	case met:
		return "pass"
	case enough:
		return "short, done"
	}
	return "**short**"
}

func writeCertified(w io.Writer, sets []*Set) {
	table(w, "Certified, beside the other programs", 3, "set", "loss", "leaf values", "bytes", "times smaller than text", "text + zstd", "UBJ", "smaller cbm",
		"metric before", "after", "change", "bound", "rows", "search s")
	for _, s := range sets {
		for _, bound := range []float64{Tight, Wide} {
			f := s.Chosen(bound, true)
			if f == nil {
				if f = s.form(boundName(bound, true)); f == nil {
					f = s.form(boundName(bound, false))
				}
				fmt.Fprintf(w, "| %s | %s | none: %s | | | | | | | | | | | %.1f |\n", s.Name, f.Name, f.Short, f.Seconds)
				continue
			}
			fmt.Fprintf(w, "| %s | %s | %s | %d |", s.Name, f.Name, f.Format, f.File.Bytes)
			text, ubj := s.file(LightGBM, TextFile), s.file("xgboost", "UBJ")
			for _, x := range []struct {
				file *File
				zstd bool
			}{{text, false}, {text, true}, {ubj, false}, {s.smallerCBM(), false}} {
				fmt.Fprintf(w, " %s |", timesSmaller(x.file, x.zstd, f))
			}
			c := f.Certified
			fmt.Fprintf(w, " %s %.6g | %.6g | %+.3f %% | %.3f %% | %d | %.1f |\n", c.Metric, c.Before, c.After, 100*(c.After/c.Before-1), 100*c.Bound, c.Rows, f.Seconds)
		}
	}
}

func timesSmaller(file *File, zstd bool, f *Form) string {
	if file == nil {
		return "–"
	}
	n := file.Bytes
	if zstd {
		n = file.Zstd
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(f.File.Bytes))
}

// smallerCBM returns the smaller of CatBoost's files.
func (s *Set) smallerCBM() *File {
	a, b := s.file("catboost", "cbm"), s.file("catboost-lossguide", "cbm")
	if a == nil || b != nil && b.Bytes < a.Bytes {
		return b
	}
	return a
}

func writeParts(w io.Writer, sets []*Set) {
	table(w, "Boost's files, in bytes", 2, "set", "form", "file", "structure", "leaf values, scales", "cuts", "dictionaries", "statistics", "about", "container", "leaves", "of them in the file", "a leaf, all in",
		"structure a node", "sets a node", "file + zstd")
	for _, s := range sets {
		plain, pruned := s.Chosen(Tight, false), s.Chosen(Tight, true)
		for i := range s.Ours {
			f := &s.Ours[i]
			if f.Certified != nil && f != plain && f != pruned {
				continue
			}
			if f.Short != "" {
				continue
			}
			p := f.Parts
			fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s | %d |\n", s.Name, f.Name, f.File.Bytes, p.Structure, p.Leaves, p.Cuts, p.Dictionaries,
				p.Statistics, p.About, p.Container, f.Whole(), f.Leaves, figure(f.LeafBytes()), f.node(f.NodeBytes), f.node(f.SetBytes), f.File.Zstd)
		}
	}
}

// node is a figure of the packed structure, which a full model has not.
func (f *Form) node(bytes float64) string {
	if f.Format == "" {
		return "–"
	}
	return fmt.Sprintf("%.2f", bytes)
}

func writePeers(w io.Writer, sets []*Set) {
	columns := []string{"set", "rows × columns", "rounds × leaves"}
	for _, c := range peerFiles {
		columns = append(columns, c.title, "+ zstd")
	}
	table(w, "The other programs' files, in bytes", 1, append(columns, "leaves of LightGBM", "XGBoost", "CatBoost", "Lossguide", "boost")...)
	for _, s := range sets {
		fmt.Fprintf(w, "| %s | %d × %d (%d of categories) | %d × %d |", s.Name, s.Rows, s.Columns, s.Categorical, s.Rounds, s.Leaves)
		for _, c := range peerFiles {
			if f := s.file(c.peer, c.file); f != nil {
				fmt.Fprintf(w, " %d | %d |", f.Bytes, f.Zstd)
			} else {
				fmt.Fprint(w, " – | – |")
			}
		}
		for _, name := range []string{LightGBM, "xgboost", "catboost", "catboost-lossguide"} {
			leaves := "–"
			if i := slices.IndexFunc(s.Peers, func(p Peer) bool { return p.Name == name }); i >= 0 {
				leaves = fmt.Sprint(s.Peers[i].Leaves)
			}
			fmt.Fprintf(w, " %s |", leaves)
		}
		fmt.Fprintf(w, " %d |\n", s.form(fullForm).Leaves)
	}
}

// figure shows three digits.
func figure(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// UpdateDocument puts the tables into the Markdown file at path, in place of those of before.
func (r *Record) UpdateDocument(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s; %d threads. %s.", r.Command, r.Machine, r.Threads, r.Zstd)
	var versions, commits harness.Names
	for _, s := range r.Sets {
		for _, p := range s.Peers {
			versions.Add(p.Version)
		}
		for _, f := range s.Ours {
			if s.shown() {
				commits.Add(f.Commit)
			}
		}
	}
	fmt.Fprintf(&b, " Versions: %s. Commits of boost: %s.\n", strings.Join(versions, ", "), strings.Join(commits, ", "))
	r.Write(&b)
	return harness.ReplaceSection(path, "sizes", b.String())
}
