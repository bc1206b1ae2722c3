package gradients_test

import (
	"math"
	"slices"
	"testing"

	"boost/gradients"
	"boost/internal/rng"
	"boost/parallel"
)

// sampled returns how often each row is drawn, by the weights of its gradients, and the bag's rows.
func sampled(t *testing.T, rows, threads int, b *gradients.Bootstrap, iteration int) []float32 {
	t.Helper()
	pool := parallel.NewPool(threads)
	defer pool.Close()
	buffer := gradients.NewBuffer(rows, 2)
	for i := range buffer.Grad {
		buffer.Grad[i], buffer.Hess[i] = 1, 2
	}
	bag := gradients.NewBag(rows)
	b.Sample(pool, bag, buffer, 7, iteration)
	times := slices.Clone(buffer.Grad[:rows])
	for _, row := range bag.Outside(nil) {
		times[row] = 0
	}
	for i, g := range buffer.Grad {
		if buffer.Hess[i] != 2*g || g != buffer.Grad[i%rows] {
			t.Fatalf("row %d: gradient %v and hessian %v, of the first output %v", i%rows, g, buffer.Hess[i], buffer.Grad[i%rows])
		}
	}
	return times
}

// near reports whether a count of n draws with a probability is within 5 standard errors.
func near(count, n int, probability float64) bool {
	return math.Abs(float64(count)-probability*float64(n)) <= 5*math.Sqrt(float64(n)*probability*(1-probability))
}

// Shares of classes: one class for itself is drawn as a Bag does, on any number of threads.
func TestBootstrapByClass(t *testing.T) {
	const rows = 200_000
	class := make([]float64, rows)
	for i := range class {
		class[i] = float64(i % 2)
	}
	b := gradients.NewBootstrap(rows, gradients.BootstrapSettings{Shares: []float64{0.2, 0.9}, Class: class})
	if b.Weighs() {
		t.Error("rows that are drawn once are weighed")
	}
	times := sampled(t, rows, 3, b, 4)
	if !slices.Equal(times, sampled(t, rows, 1, b, 4)) {
		t.Error("the threads matter")
	}
	var in [2]int
	for i, n := range times {
		in[i%2] += int(n)
	}
	if !near(in[0], rows/2, 0.2) || !near(in[1], rows/2, 0.9) {
		t.Errorf("%v of %d rows of each class", in, rows/2)
	}
	pool, bag := parallel.NewPool(1), gradients.NewBag(rows)
	defer pool.Close()
	bag.Sample(pool, 7, 4, 0.9)
	for _, row := range bag.Outside(nil) {
		if row%2 == 1 && times[row] != 0 {
			t.Fatalf("row %d is in the sample, and not in a bag of the same share", row)
		}
	}
}

// With replacement a row is drawn n times with probability e^-m·mⁿ/n!.
func TestBootstrapWithReplacement(t *testing.T) {
	const rows = 500_000
	for _, mean := range []float64{1, 0.3} {
		b := gradients.NewBootstrap(rows, gradients.BootstrapSettings{Shares: []float64{mean}, Replace: true})
		if !b.Weighs() {
			t.Error("rows that are drawn twice are not weighed")
		}
		counts := map[int]int{}
		for _, n := range sampled(t, rows, 2, b, 0) {
			counts[int(n)]++
		}
		p := math.Exp(-mean)
		for n := range 7 {
			if !near(counts[n], rows, p) {
				t.Errorf("mean %v: %d rows are drawn %d times, want %v", mean, counts[n], n, p*rows)
			}
			p *= mean / float64(n+1)
		}
	}
}

// Rows of a group are drawn alike, and groups as single rows would be.
func TestBootstrapByGroup(t *testing.T) {
	const rows, groups = 90_000, 30_000
	of := make([]uint32, rows)
	for i := range of {
		of[i] = uint32(i * 7 % groups)
	}
	for _, replace := range []bool{false, true} {
		b := gradients.NewBootstrap(rows, gradients.BootstrapSettings{Shares: []float64{0.4}, Groups: of, Replace: replace})
		single := gradients.NewBootstrap(groups, gradients.BootstrapSettings{Shares: []float64{0.4}, Replace: replace})
		want := sampled(t, groups, 1, single, 1)
		for i, n := range sampled(t, rows, 2, b, 1) {
			if n != want[of[i]] {
				t.Fatalf("row %d of group %d is drawn %v times, its group %v", i, of[i], n, want[of[i]])
			}
		}
	}
}

// Of each class the rows with the smallest draws are taken, as many as the share says, rounded.
func TestStrata(t *testing.T) {
	const seed, iteration = 5, 3
	for _, rows := range []int{1, 2, 9, 700, 200_000} {
		for _, share := range []float64{0.001, 0.3, 0.5, 0.99} {
			class := make([]float64, rows)
			for i := range class {
				class[i] = float64(min(i%10, 2)) // a tenth, a tenth, the rest
			}
			var draws [3][]uint64
			key := rng.Key(seed, rng.RowSample, iteration, 0)
			for i, c := range class {
				draws[int(c)] = append(draws[int(c)], rng.Draw(key, uint64(i))>>11)
			}
			var limits [3]uint64 // of the last row in the sample; draws of 53 bits are all different here
			for c, all := range draws {
				slices.Sort(all)
				if len(all) > 0 {
					limits[c] = all[max(int(math.Round(share*float64(len(all)))), 1)-1] + 1
				}
			}
			for _, threads := range []int{1, 3} {
				pool, bag := parallel.NewPool(threads), gradients.NewBag(rows)
				s := gradients.NewStrata(class, 3, share)
				s.Sample(pool, bag, seed, iteration+1) // what it leaves must not matter
				s.Sample(pool, bag, seed, iteration)
				pool.Close()
				out := make([]bool, rows)
				for _, row := range bag.Outside(nil) {
					out[row] = true
				}
				for i, c := range class {
					if want := rng.Draw(key, uint64(i))>>11 < limits[int(c)]; out[i] == want {
						t.Fatalf("%d rows, share %v, %d threads: row %d of class %v is in the sample: %v", rows, share, threads, i, c, !out[i])
					}
				}
			}
		}
	}
}

// Weights of the Bayesian bootstrap at temperature 1 are exponential: mean 1, variance 1, median log 2; at another they
// are powers of these.
func TestWeighBayesian(t *testing.T) {
	const rows = 400_000
	weigh := func(temperature float64, threads int) *gradients.Buffer {
		pool := parallel.NewPool(threads)
		defer pool.Close()
		b := gradients.NewBuffer(rows, 2)
		for i := range b.Grad {
			b.Grad[i], b.Hess[i] = -1, 1
		}
		gradients.WeighBayesian(pool, b, temperature, nil, 3, 2)
		return b
	}
	one, half := weigh(1, 1), weigh(0.5, 3)
	sum, squares, low := 0.0, 0.0, 0
	for i, w := range one.Hess {
		if one.Grad[i] != -w || w != one.Hess[i%rows] || w < 0 {
			t.Fatalf("row %d: gradient %v, hessian %v", i%rows, one.Grad[i], w)
		}
		if math.Abs(float64(half.Hess[i])-math.Sqrt(float64(w))) > 1e-6*float64(1+w) {
			t.Fatalf("row %d: %v at temperature ½, %v at 1", i%rows, half.Hess[i], w)
		}
		if i < rows {
			sum, squares = sum+float64(w), squares+float64(w)*float64(w)
			if float64(w) < math.Ln2 {
				low++
			}
		}
	}
	// The fourth moment of an exponential number is 24, so that the variance of its square is 20.
	if math.Abs(sum/rows-1) > 5/math.Sqrt(rows) || math.Abs(squares/rows-2) > 5*math.Sqrt(20.0/rows) || !near(low, rows, 0.5) {
		t.Errorf("mean %v, mean square %v, %d of %d below log 2", sum/rows, squares/rows, low, rows)
	}
	if !slices.Equal(weigh(1, 3).Grad, one.Grad) {
		t.Error("the threads matter")
	}
}
