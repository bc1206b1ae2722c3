package peers

import (
	"fmt"
	"io"
	"strings"
)

// Table writes a session's figures as a Markdown table that reads well as plain text
// too: the same columns for every row.
func (s *Session) Table(w io.Writer) {
	fmt.Fprintf(w, "| %-30s | turns | load s | bin s | train s | predict s | measured s | spread | CPU s | peak MB | of it data | %8s | boost is |\n", "trainer", s.Row.metric())
	fmt.Fprintln(w, "|--------------------------------|------:|-------:|------:|--------:|----------:|-----------:|-------:|------:|--------:|-----------:|---------:|---------:|")
	v := s.Verdict()
	ours := v.ours
	for _, name := range s.names() {
		f, _ := s.figure(name)
		turns, times := fmt.Sprint(f.turns), "–"
		if f.turns == 0 {
			turns = "once"
		}
		if f.rounds != s.Row.Rounds {
			turns = fmt.Sprintf("once, %d rounds", f.rounds)
		} else if ours.seconds > 0 && name != ours.name {
			times = fmt.Sprintf("%.2f ×", f.seconds/ours.seconds)
		}
		fmt.Fprintf(w, "| %-30s | %5s | %6.2f | %5.2f | %7.2f | %9.2f | %10.3f | %4.0f %% | %5.1f | %7.0f | %10.0f | %8s | %8s |\n", name, turns,
			f.run.Load, f.run.Bin, f.run.Train, f.run.Predict, f.seconds, 100*f.spread, f.cpu,
			float64(f.run.PeakBytes)/1e6, float64(f.run.PeakBytes-f.run.BaseBytes)/1e6, s.Row.quality(&f.run), times)
	}
}

// quality is a run's for a table.
func (r *Row) quality(run *Run) string {
	if metric := r.metricOf(run); metric > 0 {
		return fmt.Sprintf("%.5f", metric)
	}
	return "–"
}

// names lists the contenders that ran: those of the turns first.
func (s *Session) names() []string {
	var list []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	for _, name := range s.Turns {
		if s.ran(name, 1) {
			add(name)
		}
	}
	for _, m := range s.Runs {
		add(m.Contender)
	}
	return list
}

// section is the session's part of the document at DetailsPath.
func (s *Session) section() string {
	var b strings.Builder
	r := &s.Row
	fmt.Fprintf(&b, "### %s\n\n`%s`\n\n", r.Title, s.Command)
	fmt.Fprintf(&b, "%s; load average before the run %s. %d threads, %d rounds, %d leaves", s.Machine, s.Machine.LoadAverage, r.Threads, r.Rounds, r.Leaves)
	if r.Scored() {
		fmt.Fprintf(&b, "; %s on %d further rows", r.metric(), r.Test)
	}
	fmt.Fprintf(&b, ". Versions: %s.", strings.Join(s.versions(), ", "))
	for _, m := range s.Missing {
		fmt.Fprintf(&b, " %s: %s.", m.Contender, m.Why)
	}
	b.WriteString("\n\n")
	s.Table(&b)
	v := s.Verdict()
	fmt.Fprintf(&b, "\n%s\n", v.String())
	return b.String()
}

func (s *Session) versions() []string {
	var list []string
	seen := map[string]bool{}
	for _, m := range s.Runs {
		if v := m.Run.Version; v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// Summary writes one line for each row that was measured, of its last session that is done and of
// what is known of the row's quality, and names the other rows.
func Summary(w io.Writer, sessions map[string]*Session, qualities map[string]*Quality) {
	fmt.Fprintln(w, "| row | data | target | boost s | LightGBM's best s | boost is | fastest peer s | boost is | metric, ours and LightGBM's | peak MB, ours and LightGBM's | result |")
	fmt.Fprintln(w, "|-----|------|-------:|--------:|------------------:|---------:|---------------:|---------:|-----------------------------|-----------------------------:|--------|")
	var others []string
	for _, row := range Rows() {
		s := sessions[row.Name]
		if s == nil {
			others = append(others, fmt.Sprintf("`%s` (%s)", row.Name, row.Title))
			continue
		}
		v := s.Verdict()
		if v.ByLightGBM == 0 {
			fmt.Fprintf(w, "| `%s` | %s | %.1f × | %.3f | | | | | | | %s |\n", row.Name, row.Title, row.Target, v.ours.seconds, strings.Join(v.Short, "; "))
			continue
		}
		result := v.Word()
		if v.ours.name != BoostName {
			result += " (" + v.ours.name + ")"
		}
		if len(v.Short) > 0 {
			result += ": " + strings.Join(v.Short, "; ")
		}
		result += qualities[row.Name].note(s, &v)
		fmt.Fprintf(w, "| `%s` | %s | %.1f × | %.3f | %.3f (%s) | %.2f × | %.3f (%s) | %.2f × | %s %s, %s | %.0f, %.0f | %s |\n",
			row.Name, row.Title, row.Target, v.ours.seconds, v.lightGBM.seconds, v.lightGBM.name, v.ByLightGBM,
			v.fastest.seconds, v.fastest.name, v.ByFastest,
			s.Row.metric(), s.Row.quality(&v.ours.run), s.Row.quality(&v.lightGBM.run),
			float64(v.ours.run.PeakBytes)/1e6, float64(v.lightGBM.run.PeakBytes)/1e6, result)
	}
	if len(others) > 0 {
		fmt.Fprintf(w, "\nNot measured: %s.\n", strings.Join(others, ", "))
	}
}

// Machines writes a line for each row and kind of processor that it was measured on, with the last
// session there. Rows of one processor are left out: the summary has them.
func Machines(w io.Writer, histories []*History) {
	fmt.Fprintln(w, "| row | processor | commit | boost s | LightGBM's best s | boost is | fastest peer s | boost is | all threads are |")
	fmt.Fprintln(w, "|-----|-----------|--------|--------:|------------------:|---------:|---------------:|---------:|--------------:|")
	for _, h := range histories {
		sessions := h.machines()
		if len(sessions) < 2 {
			continue
		}
		for _, s := range sessions {
			v := s.Verdict()
			if v.ByLightGBM == 0 {
				continue
			}
			scaling := "–"
			if v.Scaling > 0 {
				scaling = fmt.Sprintf("%.2f × one", v.Scaling)
			}
			fmt.Fprintf(w, "| `%s` | %s | %s | %.3f | %.3f (%s) | %.2f × | %.3f (%s) | %.2f × | %s |\n", s.Row.Name, s.Machine.CPU, s.Machine.Commit,
				v.ours.seconds, v.lightGBM.seconds, v.lightGBM.name, v.ByLightGBM, v.fastest.seconds, v.fastest.name, v.ByFastest, scaling)
		}
	}
}
