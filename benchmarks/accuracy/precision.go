package accuracy

import (
	"fmt"
	"io"

	"boost/benchmarks/machine"
	"boost/benchmarks/score"
)

// The bars of S2.28.
const (
	precisionBound  = 0.001 // of the mean signed relative loss, i16 against f32
	PrecisionSplits = 5
)

// PrecisionSets are the sets that S2.28 is shown on: at least 2,000 test rows, all
// three tasks, categories and a heavy-tailed label among them. Sets whose loss hangs on
// a few rare rows are left out: there two runs differ by more than the bar by chance.
var PrecisionSets = []string{
	"adult", "california_housing", "covtype_15k", "cps_earnings",
	"diamonds", "insteval", "pg15_tweedie", "protein_casp",
}

// Precision holds the losses of both gradient storages on the same re-splits.
type Precision struct {
	Machine machine.Info              `json:"machine"`
	Sets    map[string]PrecisionSplit `json:"sets"`
}

// PrecisionSplit holds one set's losses by split.
type PrecisionSplit struct {
	Metric string    `json:"metric"`
	I16    []float64 `json:"i16"`
	F32    []float64 `json:"f32"`
}

// PrecisionVerdict is S2.28 applied.
type PrecisionVerdict struct {
	Sets map[string]score.Paired // relative loss of i16, by set
	OK   map[string]bool
	Mean float64 // over sets and splits alike
	Pass bool
}

// Judge applies S2.28: the mean over all sets is at most 0.1 %, every set's at most
// 0.1 % plus two standard errors of its paired difference.
func (p *Precision) Judge() PrecisionVerdict {
	v := PrecisionVerdict{Sets: map[string]score.Paired{}, OK: map[string]bool{}, Pass: len(p.Sets) >= 5}
	var means []float64
	for _, name := range PrecisionSets {
		s, have := p.Sets[name]
		if !have {
			continue
		}
		pair := score.RelativePair(s.I16, s.F32)
		v.Sets[name] = pair
		v.OK[name] = pair.Mean <= precisionBound+errorsAllowed*pair.Error
		v.Pass = v.Pass && v.OK[name]
		means = append(means, pair.Mean)
	}
	v.Mean = score.Mean(means)
	v.Pass = v.Pass && v.Mean <= precisionBound
	return v
}

// Write writes the section of docs/accuracy.md.
func (p *Precision) Write(w io.Writer) {
	v := p.Judge()
	fmt.Fprintf(w, `
## 16-bit gradients against float32 (S2.28)

Relative difference of the loss, (i16 − f32) / f32, over %d re-splits of the training part; positive means that
i16 is worse. Bound: the mean at most 0.1 %%, each set at most 0.1 %% plus two standard errors. Machine: %s.

| set | metric | i16 | f32 | i16 − f32, mean ± standard error | holds |
|---|---|--:|--:|--:|---|
`, PrecisionSplits, p.Machine)
	for _, name := range PrecisionSets {
		s, have := p.Sets[name]
		if !have {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", name, s.Metric,
			figure(score.Mean(s.I16)), figure(score.Mean(s.F32)), relative(v.Sets[name]), holds(v.OK[name]))
	}
	fmt.Fprintf(w, "\nMean over %d sets: **%+.3f %%**, bound 0.1 %%: %s.\n", len(v.Sets), 100*v.Mean, holds(v.Mean <= precisionBound))
}
