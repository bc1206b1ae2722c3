package tune

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) Dimension {
	t.Helper()
	name, values, _ := strings.Cut(text, "=")
	d, err := Parse(name, values)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func placesOf(t *testing.T, d *Dimension, texts []string) []float64 {
	t.Helper()
	var places []float64
	for _, text := range texts {
		at, ok := d.place(text)
		if !ok {
			t.Fatalf("%s is outside %s", text, d)
		}
		places = append(places, at)
	}
	return places
}

// Ratios of densities are those of Optuna, which testdata/tpe.py has written.
func TestDensities(t *testing.T) {
	content, err := os.ReadFile("testdata/tpe.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Space         string
		Good, Bad, At []string
		Ratio         []float64 `json:"log_ratio"`
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 25 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		d := parsed(t, c.Space)
		l, g := d.newMixture(placesOf(t, &d, c.Good)), d.newMixture(placesOf(t, &d, c.Bad))
		for i, at := range c.At {
			got := math.Log(l.density(at)) - math.Log(g.density(at))
			if !(math.Abs(got-c.Ratio[i]) <= 1e-9*max(1, math.Abs(c.Ratio[i]))) {
				t.Errorf("%s, %d and %d trials, at %s: %v, Optuna has %v", c.Space, len(c.Good), len(c.Bad), at, got, c.Ratio[i])
			}
		}
	}
}

// Draws of a mixture have its density: the shares of 20,000 draws are within 5 standard errors of it.
func TestDraws(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		space  string
		places []string
		values []string
	}{
		{"tree.max_depth=3..10", []string{"4", "5", "9", "9"}, []string{"3", "4", "5", "6", "7", "8", "9", "10"}},
		{"tree.leaves=2..9:log", []string{"2", "9"}, []string{"2", "3", "4", "5", "6", "7", "8", "9"}},
		{"tree.growth=leaf,depth,symmetric", []string{"depth", "depth", "leaf"}, []string{"leaf", "depth", "symmetric"}},
	} {
		d := parsed(t, c.space)
		m := d.newMixture(placesOf(t, &d, c.places))
		counts, r, sum := map[string]int{}, newDraws(1, 0, 0), 0.0
		for range n {
			counts[m.draw(r)]++
		}
		for _, value := range c.values {
			p := m.density(value)
			sum += p
			if z := (float64(counts[value]) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 5 {
				t.Errorf("%s: %s was drawn %d times, its share is %v", c.space, value, counts[value], p)
			}
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("%s: shares add to %v", c.space, sum)
		}
	}
}

// The estimator comes closer to the best of a function than even draws do, in the mean of 40 searches of 60 trials.
func TestSampler(t *testing.T) {
	space := Space{parsed(t, "tree.lambda_l2=0.01..30:log"), parsed(t, "tree.leaves=7..255:log"), parsed(t, "sampling.col_node=0.2..1"), parsed(t, "tree.growth=leaf,depth,symmetric")}
	loss := func(values []string) float64 {
		sum := 0.0
		for i, want := range []string{"1", "31", "0.6"} {
			got, _ := space[i].place(values[i])
			at, _ := space[i].place(want)
			low, high := space[i].bounds()
			sum += math.Pow((got-at)/(high-low), 2)
		}
		if values[3] != "depth" {
			sum += 0.1
		}
		return sum
	}
	mean := map[string]float64{}
	for _, sampler := range []string{TPE, Random} {
		for seed := range uint64(40) {
			s := &searcher{Params: Params{Space: space, Sampler: sampler}, seen: map[string]bool{}}
			s.Seed = seed
			best := math.Inf(1)
			for n := range 60 {
				values := s.suggest(n)
				for i := range values {
					if _, ok := space[i].place(values[i]); !ok {
						t.Fatalf("%s of %s", values[i], &space[i])
					}
				}
				v := loss(values)
				best = min(best, v)
				s.add(Trial{Number: n, Values: values, State: Complete, Value: v})
			}
			mean[sampler] += best / 40
		}
	}
	if !(mean[TPE] < mean[Random]/2) {
		t.Errorf("squared distance %v by the estimator, %v by even draws", mean[TPE], mean[Random])
	}
}

// The rungs of hand-made rounds: a ninth and a third of 270 rounds and so on, later for small steps.
func TestRungs(t *testing.T) {
	s := &searcher{}
	s.base.Rounds, s.base.LearningRate = 270, 0.1
	for _, c := range []struct {
		bracket int
		rate    float64
		want    [3]int
	}{{0, 0.1, [3]int{10, 30, 90}}, {1, 0.1, [3]int{0, 30, 90}}, {2, 0.2, [3]int{0, 0, 45}}, {3, 0.1, [3]int{}}, {0, 0.05, [3]int{20, 60, 180}}, {0, 0.02, [3]int{50, 150, 0}}} {
		if got := s.rungs(c.bracket, 270, c.rate); [3]int(got) != c.want {
			t.Errorf("bracket %d, rate %v: %v, want %v", c.bracket, c.rate, got, c.want)
		}
	}
	counts := [brackets]int{}
	for n := range 4900 {
		counts[s.bracketOf(n)]++
	}
	for b, want := range [brackets]int{2700, 1200, 600, 400} { // 27 : 12 : 6 : 4, as the paper's η = 3 and s = 3 have it
		if math.Abs(float64(counts[b]-want)) > 5*math.Sqrt(float64(want)) {
			t.Errorf("%d trials in bracket %d, want about %d: %s", counts[b], b, want, strconv.Itoa(want))
		}
	}
}

// A trial goes on from a rung if it is in the best third of those that came there, itself counted.
func TestPromotes(t *testing.T) {
	s := &searcher{seen: map[string]bool{}}
	for n, v := range []float64{0.5, 0.4, 0.6, 0.3, 0.35} {
		s.add(Trial{Number: n, State: Complete, Value: v, Rungs: []float64{v}, Values: []string{strconv.Itoa(n)}})
	}
	for v, want := range map[float64]bool{0.2: true, 0.34: true, 0.36: false, 1: false} {
		if got := s.promotes(&Trial{Rungs: []float64{v}}, 0); got != want {
			t.Errorf("%v of six goes on: %t", v, got)
		}
	}
	if s.promotes(&Trial{Bracket: 1, Rungs: []float64{1}}, 0) != true {
		t.Error("the first of a bracket does not go on")
	}
}
