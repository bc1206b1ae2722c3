package booster_test

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/rng"
	"boost/internal/testenv"
)

// classTable makes a table of weighted rows in classes of uneven sizes, which the features tell
// apart in part, and returns it with the number of each row's class and with the rows' weights.
func classTable(t *testing.T, rows, classes int) (*dataset.Table, []int, []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(12, uint64(classes)))
	a, b, y, w := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	class := make([]int, rows)
	for i := range rows {
		a[i], b[i] = float64(r.IntN(200)), r.NormFloat64()
		if class[i] = int(a[i]) * int(a[i]) * classes / 40_000; r.IntN(5) == 0 {
			class[i] = r.IntN(classes)
		}
		y[i], w[i] = float64(class[i]), 0.5+r.Float64()
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "y", Values: y}, {Name: "w", Values: w}},
		dataset.Label("y"), dataset.Weight("w"))
	if err != nil {
		t.Fatal(err)
	}
	return table, class, w
}

// lossesOf returns the derivatives of the log loss by raw scores, rows × outputs, by the
// formulas: p-y and p(1-p) of one output, of K outputs p(1-p)·K/(K-1); output-major.
func lossesOf(raw []float64, outputs int, class []int, weights []float64) (grad, hess []float32) {
	rows := len(class)
	grad, hess = make([]float32, len(raw)), make([]float32, len(raw))
	for i, own := range class {
		p, factor := make([]float64, outputs), 1.0
		if outputs == 1 {
			p[0] = 1 / (1 + math.Exp(-raw[i]))
			own-- // class 1 is the output's
		} else {
			sum := 0.0
			for k := range p {
				p[k] = math.Exp(raw[i*outputs+k])
				sum += p[k]
			}
			for k := range p {
				p[k] /= sum
			}
			factor = float64(outputs) / float64(outputs-1)
		}
		for k, p := range p {
			y := 0.0
			if k == own {
				y = 1
			}
			grad[k*rows+i], hess[k*rows+i] = float32((p-y)*weights[i]), float32(factor*p*(1-p)*weights[i])
		}
	}
	return grad, hess
}

// weighing are the ways of sampling rows, by their definitions: what each row's gradients and
// hessians are multiplied by in a round, 0 where it is left out.
var weighing = []struct {
	name   string
	change func(p *booster.Params)
	rows   func(p *booster.Params, round int, grad, hess []float32, rows int) []float64
}{
	{"bag", func(p *booster.Params) { p.RowFraction = 0.3 }, func(p *booster.Params, round int, _, _ []float32, rows int) []float64 {
		weights, key := make([]float64, rows), rng.Key(p.Seed, rng.RowSample, uint64(round), 0)
		for i := range weights {
			if rng.Unit(rng.Draw(key, uint64(i))) < p.RowFraction {
				weights[i] = 1
			}
		}
		return weights
	}},
	// Ke et al. 2017, algorithm 2: the top by |gradient·hessian|, and of the others a draw
	// that is weighted by what it stands for.
	{"goss", func(p *booster.Params) { p.GossTop, p.GossOther = 0.2, 0.1 }, func(p *booster.Params, round int, grad, hess []float32, rows int) []float64 {
		weights, sizes, order := make([]float64, rows), make([]float32, rows), make([]int, rows)
		for i := range weights {
			if weights[i] = 1; round < int(1/p.LearningRate) {
				continue
			}
			sum := 0.0
			for at := i; at < len(grad); at += rows {
				sum += math.Abs(float64(grad[at]) * float64(hess[at]))
			}
			sizes[i], order[i] = float32(sum), i
		}
		if round < int(1/p.LearningRate) {
			return weights
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
		top, key := int(float64(rows)*p.GossTop), rng.Key(p.Seed, rng.GossRows, uint64(round), 0)
		share := p.GossOther * float64(rows) / float64(rows-top)
		for _, i := range order[top:] {
			if weights[i] = 0; rng.Unit(rng.Draw(key, uint64(i))) < share {
				weights[i] = 1 / share
			}
		}
		return weights
	}},
	// Ibragimov & Gusev 2019, §3: a row of size s is kept with the probability min(1, s/μ) and
	// divided by it. μ is found by bisection.
	{"mvs", func(p *booster.Params) { p.MvsFraction, p.MvsLambda = 0.3, 0.01 }, func(p *booster.Params, round int, grad, hess []float32, rows int) []float64 {
		weights, key := make([]float64, rows), rng.Key(p.Seed, rng.MvsRows, uint64(round), 0)
		sizes := make([]float64, rows)
		low, high := 0.0, 0.0
		for i := range sizes {
			sum := 0.0
			for at := i; at < len(grad); at += rows {
				g, h := float64(grad[at]), float64(hess[at])
				sum += g*g + p.MvsLambda*h*h
			}
			sizes[i] = math.Sqrt(sum)
			high += sizes[i]
		}
		for range 200 {
			mu, kept := (low+high)/2, 0.0
			for _, s := range sizes {
				kept += min(1, s/mu)
			}
			if kept > p.MvsFraction*float64(rows) {
				low = mu
			} else {
				high = mu
			}
		}
		for i, s := range sizes {
			if (1-rng.Unit(rng.Draw(key, uint64(i))))*high <= s {
				weights[i] = max(1, high/s)
			}
		}
		return weights
	}},
}

// scalesLine is what the log says of one quantization.
var scalesLine = regexp.MustCompile(`msg=quantized round=(\d+) output=(\d+) mode=(\w+) grad_scale=(\S+) hess_scale=(\S+)`)

// Codes are made once a round of each output's gradients as the round's sampling weighs them:
// the scales of every round and output are the largest weighted gradient and hessian over the
// largest codes, both found here from the scores before the round.
func TestScalesOfSampledRounds(t *testing.T) {
	testenv.Unraced(t)
	const rows, rounds = 3000, 6
	limits := map[string][2]float64{"i32": {math.MaxInt32, math.MaxUint32}, "i16": {32767, 65535}, "asymmetric": {65535, 65535}, "i8": {127, 255}, "i4": {7, 15}}
	for _, classes := range []int{2, 3} {
		table, class, rowWeights := classTable(t, rows, classes)
		objective, outputs := "multiclass", classes
		if classes == 2 {
			objective, outputs = "binary", 1
		}
		for _, sampling := range weighing {
			for _, s := range storages {
				most, has := limits[s.name]
				if !has {
					continue
				}
				t.Run(fmt.Sprintf("S2.1,S2.12/%s/%s/%s", objective, sampling.name, s.name), func(t *testing.T) {
					p := booster.Defaults()
					p.Objective, p.Rounds, p.LearningRate, p.Tree.Leaves = objective, rounds, 0.5, 8
					s.change(&p)
					sampling.change(&p)
					var log bytes.Buffer
					m, err := booster.Train(t.Context(), p, table,
						booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
					if err != nil {
						t.Fatal(err)
					}
					lines := scalesLine.FindAllStringSubmatch(log.String(), -1)
					if len(lines) != rounds*outputs {
						t.Fatalf("%d quantizations of %d rounds and %d outputs", len(lines), rounds, outputs)
					}
					weighted := 0 // scales that those of all rows without their weights are not
					for round := range rounds {
						before, err := m.Prefix(round)
						if err != nil {
							t.Fatal(err)
						}
						grad, hess := lossesOf(rawOf(t, before, table), outputs, class, rowWeights)
						weights := sampling.rows(&p, round, grad, hess, rows)
						var first [2]float64
						for k := range outputs {
							all := slices.Repeat([]float64{1}, rows)
							want := scalesOf(grad[k*rows:(k+1)*rows], hess[k*rows:(k+1)*rows], weights, s.name == "asymmetric", most)
							plain := scalesOf(grad[k*rows:(k+1)*rows], hess[k*rows:(k+1)*rows], all, s.name == "asymmetric", most)
							line := lines[round*outputs+k]
							if line[1] != strconv.Itoa(round) || line[2] != strconv.Itoa(k) || line[3] != p.Gradients {
								t.Fatalf("%q, want round %d, output %d in %s", line[0], round, k, p.Gradients)
							}
							for i, name := range []string{"gradient", "hessian"} {
								got, err := strconv.ParseFloat(line[4+i], 64)
								if err != nil || math.Abs(got/want[i]-1) > 1e-6 {
									t.Errorf("round %d, output %d: the scale of a %s is %v (%v), want %v; %v without sampling", round, k, name, got, err, want[i], plain[i])
								}
								if math.Abs(want[i]/plain[i]-1) > 1e-4 {
									weighted++
								}
							}
							if k == 0 {
								first = want
							} else if want == first {
								t.Errorf("round %d: outputs 0 and %d have the same scales, so that one may be used for both", round, k)
							}
						}
					}
					if weighted < rounds*outputs/2 {
						t.Errorf("%d of %d scales depend on the sampling: too few to tell", weighted, 2*rounds*outputs)
					}
				})
			}
		}
	}
}

// scalesOf returns the steps between codes, of which most[0] lie between the gradient nearest to
// 0 and the largest, or between the lowest and the highest one, and most[1] below the largest
// hessian.
func scalesOf(grad, hess []float32, weights []float64, asymmetric bool, most [2]float64) (scales [2]float64) {
	low, high, peak := math.Inf(1), math.Inf(-1), 0.0
	for i, w := range weights {
		if w > 0 {
			g := w * float64(grad[i])
			low, high, peak = min(low, g), max(high, g), max(peak, w*float64(hess[i]))
		}
	}
	width := max(-low, high)
	if asymmetric {
		width = high - low
	}
	return [2]float64{width / most[0], peak / most[1]}
}
