package peers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"boost/benchmarks/harness"
	"boost/benchmarks/score"
)

// shown returns the results, real or generated, by name.
func (r *Record) shown(generated bool) []*Result {
	var list []*Result
	for _, s := range r.Sets {
		if s.Generated == generated {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *Result) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Table writes the real sets and their geometric means as Markdown, and the generated shapes below.
func (r *Record) Table(w io.Writer) {
	if real := r.shown(false); len(real) > 0 {
		head(w)
		means(w, lines(w, real))
	}
	if generated := r.shown(true); len(generated) > 0 {
		fmt.Fprint(w, "\nGenerated shapes:\n\n")
		head(w)
		lines(w, generated)
	}
}

func head(w io.Writer) {
	fmt.Fprintf(w, "| set | rows × features × outputs | boost s, 2 threads; 1 | LightGBM's best s, 2 threads; 1 | × LightGBM, 2 threads (each ≥ %.1f, mean ≥ %.1f) | 1 thread (the same) "+
		"| × XGBoost, 2 threads | 1 thread | 2 threads are × one | file to model, 2 threads: × LightGBM | × XGBoost |\n", Floor, Mean)
	fmt.Fprintln(w, "|-----|---------------------------|----------------------:|--------------------------------|------:|------:|------:|------:|------:|------:|------:|")
}

// lines writes a line for each result and returns their ratios.
func lines(w io.Writer, results []*Result) []ratios {
	var all []ratios
	for _, s := range results {
		name := s.Name
		if s.busy() {
			name += " (busy)"
		}
		one, two := s.figure(Boost, 1), s.figure(Boost, 2)
		ratios := s.ratios()
		all = append(all, ratios)
		fmt.Fprintf(w, "| %s | %d × %d × %d | %s; %s | %s; %s |", name, s.Rows, s.Columns, s.Outputs, seconds(two.seconds), seconds(one.seconds),
			s.figure(LightGBM, 2), s.figure(LightGBM, 1))
		for i, ratio := range ratios.list() {
			fmt.Fprintf(w, " %s |", times(ratio, i < 2))
		}
		fmt.Fprintln(w)
	}
	return all
}

// String is a peer's figure for the table.
func (f figure) String() string {
	if f.seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s, %s)", seconds(f.seconds), f.way, f.wait)
}

// seconds writes three digits.
func seconds(s float64) string {
	switch {
	case s == 0:
		return "–"
	case s < 1:
		return fmt.Sprintf("%.4f", s)
	case s < 10:
		return fmt.Sprintf("%.3f", s)
	}
	return fmt.Sprintf("%.1f", s)
}

// times writes a ratio; one that has to reach Floor and does not is in bold.
func times(ratio float64, held bool) string {
	switch {
	case ratio == 0:
		return "–"
	case held && ratio < Floor:
		return fmt.Sprintf("**%.2f**", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// means writes the geometric mean of each column.
func means(w io.Writer, all []ratios) {
	fmt.Fprintf(w, "| **geometric mean of %d sets** | | | |", len(all))
	for _, mean := range meansOf(all) {
		fmt.Fprintf(w, " %s |", times(mean, false))
	}
	fmt.Fprintln(w)
}

// meansOf returns the geometric mean of each column over the results that have it, 0 = none.
func meansOf(all []ratios) []float64 {
	var list []float64
	for column := range (&ratios{}).list() {
		var known []float64
		for i := range all {
			if ratio := all[i].list()[column]; ratio > 0 {
				known = append(known, ratio)
			}
		}
		mean := 0.0
		if len(known) > 0 {
			mean = score.GeometricMean(known)
		}
		list = append(list, mean)
	}
	return list
}

// Verdict says in one sentence what the real sets come to.
func (r *Record) Verdict() string {
	results := r.shown(false)
	if len(results) == 0 {
		return "No real set was measured."
	}
	var all []ratios
	short := [2][]string{}
	known := [2]int{}
	for _, s := range results {
		ratios := s.ratios()
		all = append(all, ratios)
		for i, ratio := range ratios.light {
			if ratio > 0 {
				known[i]++
			}
			if ratio > 0 && ratio < Floor {
				short[i] = append(short[i], fmt.Sprintf("%s (%.2f)", s.Name, ratio))
			}
		}
	}
	mean := meansOf(all)
	var parts []string
	for i, threads := range []string{"2 threads", "1 thread"} {
		part := fmt.Sprintf("on %s %d of %d sets reach %.1f × LightGBM's best, the mean is %.2f of %.1f", threads, known[i]-len(short[i]), known[i], Floor, mean[i], Mean)
		if len(short[i]) > 0 {
			part += ", short are " + strings.Join(short[i], ", ")
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// UpdateDocument puts the tables into the Markdown file at path.
func (r *Record) UpdateDocument(path string) error {
	var b strings.Builder
	r.places(&b)
	fmt.Fprintf(&b, "\n%s\n\n", r.Verdict())
	r.Table(&b)
	r.missing(&b)
	return harness.ReplaceSection(path, "real", b.String())
}

// places writes where the sets were measured: a line for each machine and commit.
func (r *Record) places(w io.Writer) {
	var order harness.Names
	sets, versions := map[string][]string{}, map[string]*harness.Names{}
	for _, s := range slices.Concat(r.shown(false), r.shown(true)) {
		place := fmt.Sprintf("`%s`: %s", s.Command, s.Machine)
		if order.Add(place); versions[place] == nil {
			versions[place] = &harness.Names{}
		}
		sets[place] = append(sets[place], s.Name)
		for _, turn := range s.Turns {
			for _, run := range turn.Runs {
				versions[place].Add(run.Process.Version)
			}
		}
	}
	for _, place := range order {
		fmt.Fprintf(w, "- %s; versions %s.", place, strings.Join(*versions[place], ", "))
		if len(order) > 1 {
			fmt.Fprintf(w, " Sets: %s.", strings.Join(sets[place], ", "))
		}
		fmt.Fprintln(w)
	}
}

// missing names the peers that gave no figure.
func (r *Record) missing(w io.Writer) {
	var list []string
	for _, s := range slices.Concat(r.shown(false), r.shown(true)) {
		for _, m := range s.Missing {
			list = append(list, fmt.Sprintf("%s on %s, %d threads, %s: %s", m.Trainer, s.Name, m.Threads, m.Wait, m.Why))
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\nWithout a figure: %s.\n", strings.Join(list, "; "))
	}
}
