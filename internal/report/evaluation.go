package report

import (
	"fmt"
	"io"
	"strings"

	"boost/internal/format"
)

// Figure is the value of a metric; NaN where it is undefined.
type Figure struct {
	Name  string
	Value float64
}

// Figures are metrics in the order in which they are printed.
type Figures []Figure

// JSON maps metrics to values, undefined ones to null.
func (f Figures) JSON() map[string]*float64 {
	out := map[string]*float64{}
	for _, figure := range f {
		out[figure.Name] = format.Finite(figure.Value)
	}
	return out
}

// Stage is the metrics of the first rounds of a model.
type Stage struct {
	Rounds  int
	Figures Figures
}

// Evaluation is what eval found.
type Evaluation struct {
	Rows       int
	WeightedBy string  // the weight column, "" for none
	Stages     []Stage // at least one, in order
	Staged     bool    // all stages are wanted; else there is one
	Confusion  *Confusion
	Thresholds *Thresholds
}

// JSON returns what is printed as JSON: the metrics after the last round, and what else was asked for.
func (e *Evaluation) JSON() any {
	type stage struct {
		Rounds  int                 `json:"rounds"`
		Metrics map[string]*float64 `json:"metrics"`
	}
	out := struct {
		Rows       int                 `json:"rows"`
		Metrics    map[string]*float64 `json:"metrics"`
		Staged     []stage             `json:"staged,omitempty"`
		Confusion  *Confusion          `json:"confusion,omitempty"`
		Thresholds *Thresholds         `json:"thresholds,omitempty"`
	}{Rows: e.Rows, Metrics: e.Stages[len(e.Stages)-1].Figures.JSON(), Confusion: e.Confusion, Thresholds: e.Thresholds}
	if e.Staged {
		for _, s := range e.Stages {
			out.Staged = append(out.Staged, stage{s.Rounds, s.Figures.JSON()})
		}
	}
	return out
}

// Write writes the evaluation for people.
func (e *Evaluation) Write(w io.Writer) error {
	rows := [][]string{{"rows", format.Count(e.Rows)}}
	if e.WeightedBy != "" {
		rows = append(rows, []string{"weighted by", e.WeightedBy})
	}
	if !e.Staged {
		for _, f := range e.Stages[0].Figures {
			rows = append(rows, []string{f.Name, format.People(f.Value)})
		}
	}
	err := format.Table(w, rows, "lr")
	if err == nil && e.Staged {
		err = e.writeStages(w)
	}
	if err == nil && e.Confusion != nil {
		err = e.Confusion.write(w, e.WeightedBy != "")
	}
	if err == nil && e.Thresholds != nil {
		err = e.Thresholds.write(w)
	}
	return err
}

// writeStages writes a line for each stage.
func (e *Evaluation) writeStages(w io.Writer) error {
	head := []string{"rounds"}
	for _, f := range e.Stages[0].Figures {
		head = append(head, f.Name)
	}
	lines := [][]string{head}
	for _, s := range e.Stages {
		line := []string{format.Count(s.Rounds)}
		for _, f := range s.Figures {
			line = append(line, format.People(f.Value))
		}
		lines = append(lines, line)
	}
	return section(w, lines, strings.Repeat("r", len(head)))
}

// section writes an empty line and a table.
func section(w io.Writer, lines [][]string, align string) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return format.Table(w, lines, align)
}

// Refit is what refit found: the metrics before it and after it.
type Refit struct {
	Rows          int
	Before, After Figures
}

// JSON returns what is printed as JSON.
func (r *Refit) JSON() any {
	return struct {
		Rows   int                 `json:"rows"`
		Before map[string]*float64 `json:"before"`
		After  map[string]*float64 `json:"after"`
	}{r.Rows, r.Before.JSON(), r.After.JSON()}
}

// Write writes it for people.
func (r *Refit) Write(w io.Writer) error {
	rows := [][]string{{"", "before", "after"}}
	for i, before := range r.Before {
		rows = append(rows, []string{before.Name, format.People(before.Value), format.People(r.After[i].Value)})
	}
	return format.Table(w, rows, "lrr")
}
