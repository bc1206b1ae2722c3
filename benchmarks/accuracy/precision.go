package accuracy

import (
	"context"
	"fmt"
	"io"

	"boost/benchmarks/harness"
	"boost/benchmarks/score"
)

// PrecisionSplits is the number of re-splits of a set: of 5 the mean over all sets, with a
// standard error of 0.1 %, is not known as well as its bar says.
const PrecisionSplits = 20

// PrecisionBar is a gradient storage with what it may cost of the metric beside f32.
type PrecisionBar struct {
	Gradients string  // as in train.gradients
	Row       string  // the requirement
	Mean      float64 // of the mean signed relative loss over all sets
	Set       float64 // of every set's, two standard errors of its paired difference allowed
}

// PrecisionBars are the storages that are compared with f32, those of 8 and 4 bits with
// what they come with: rounding by draws and renewed leaf values.
var PrecisionBars = []PrecisionBar{
	{"i16", "S2.28", 0.001, 0.001},
	{"i8", "S0.30", 0.001, 0.002},
	{"i4", "S0.30", 0.005, 0.01},
}

// PrecisionSets are the sets on which modes of gradients are compared: at least 2,000 test rows, all
// three tasks, categories and a heavy-tailed label among them. Sets whose loss hangs on
// a few rare rows are left out: there two runs differ by more than the bar by chance.
var PrecisionSets = []string{
	"adult", "california_housing", "covtype_15k", "cps_earnings",
	"diamonds", "insteval", "pg15_tweedie", "protein_casp",
}

// Precision holds the losses of the gradient storages on the same re-splits.
type Precision struct {
	Machine harness.Machine           `json:"machine"`
	Sets    map[string]PrecisionSplit `json:"sets"`
}

// PrecisionSplit holds one set's losses by split.
type PrecisionSplit struct {
	Metric string    `json:"metric"`
	I16    []float64 `json:"i16"`
	I8     []float64 `json:"i8,omitempty"`
	I4     []float64 `json:"i4,omitempty"`
	F32    []float64 `json:"f32"`
}

// of returns where the losses of a storage are kept.
func (s *PrecisionSplit) of(gradients string) *[]float64 {
	return map[string]*[]float64{"i16": &s.I16, "i8": &s.I8, "i4": &s.I4, "f32": &s.F32}[gradients]
}

// MeasurePrecision trains with f32 gradients and with every storage of PrecisionBars on the
// re-splits of PrecisionSets under data. Progress goes to words.
func MeasurePrecision(ctx context.Context, data string, threads int, words io.Writer) (*Precision, error) {
	sets, err := Sets(data, PrecisionSets...)
	if err != nil {
		return nil, err
	}
	modes := []string{"f32"}
	for _, bar := range PrecisionBars {
		modes = append(modes, bar.Gradients)
	}
	p := &Precision{Machine: harness.ThisMachine(), Sets: map[string]PrecisionSplit{}}
	for _, s := range sets {
		result := PrecisionSplit{Metric: s.Metric()}
		for _, mode := range modes {
			losses := result.of(mode)
			if *losses, err = (Trainer{Threads: threads, Gradients: mode}).Splits(ctx, s, PrecisionSplits); err != nil {
				return nil, fmt.Errorf("%s with %s gradients: %w", s.Name, mode, err)
			}
			fmt.Fprintf(words, "%-20s %-3s %v\n", s.Name, mode, *losses)
		}
		p.Sets[s.Name] = result
	}
	return p, nil
}

// PrecisionVerdict is a bar applied.
type PrecisionVerdict struct {
	Sets map[string]score.Paired // loss relative to f32's, by set
	OK   map[string]bool
	Mean float64 // over sets and splits alike
	Pass bool
}

// Judge applies a bar: to the mean over all sets, and to every set's with two standard
// errors of its paired difference. A record without losses of the storage does not pass.
func (p *Precision) Judge(bar PrecisionBar) PrecisionVerdict {
	v := PrecisionVerdict{Sets: map[string]score.Paired{}, OK: map[string]bool{}}
	var means []float64
	ok := true
	for _, name := range PrecisionSets {
		s, have := p.Sets[name]
		losses := *s.of(bar.Gradients)
		if !have || len(losses) == 0 {
			continue
		}
		pair := score.RelativePair(losses, s.F32)
		v.Sets[name] = pair
		v.OK[name] = pair.Mean <= bar.Set+errorsAllowed*pair.Error
		ok = ok && v.OK[name]
		means = append(means, pair.Mean)
	}
	v.Mean = score.Mean(means)
	v.Pass = ok && len(means) >= 5 && v.Mean <= bar.Mean
	return v
}

// Write writes the sections of docs/accuracy.md, one per storage that was measured.
func (p *Precision) Write(w io.Writer) {
	for _, bar := range PrecisionBars {
		if v := p.Judge(bar); len(v.Sets) > 0 {
			p.write(w, bar, v)
		}
	}
}

func (p *Precision) write(w io.Writer, bar PrecisionBar, v PrecisionVerdict) {
	fmt.Fprintf(w, `
## %s-bit gradients against float32 (%s)

Relative difference of the loss, (%[3]s − f32) / f32, over %[4]d re-splits of the training part; above 0, %[3]s is
worse. Bound: the mean at most %.1[5]f %%, each set at most %.1[6]f %% plus two standard errors. Machine: %[7]s.

| set | metric | %[3]s | f32 | %[3]s − f32, mean ± standard error | holds |
|---|---|--:|--:|--:|---|
`, bar.Gradients[1:], bar.Row, bar.Gradients, PrecisionSplits, 100*bar.Mean, 100*bar.Set, p.Machine)
	for _, name := range PrecisionSets {
		s, have := p.Sets[name]
		if _, measured := v.Sets[name]; !have || !measured {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", name, s.Metric,
			figure(score.Mean(*s.of(bar.Gradients))), figure(score.Mean(s.F32)), relative(v.Sets[name]), holds(v.OK[name]))
	}
	fmt.Fprintf(w, "\nMean over %d sets: **%+.3f %%**, bound %.1f %%: %s.\n", len(v.Sets), 100*v.Mean, 100*bar.Mean, holds(v.Mean <= bar.Mean))
}
