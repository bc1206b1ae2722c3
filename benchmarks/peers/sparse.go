package peers

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// The contenders of sparse tables. "-file": the trainer reads the text itself, LightGBM
// binning as it reads; "-csr": the rows come as a SciPy matrix in memory, so that
// binning and training stand alone.
var sparseNames = []string{
	BoostName, "lightgbm-file", "lightgbm-quantized-file", "lightgbm-csr", "lightgbm-unbundled-csr", "xgboost-file", "xgboost-csr",
	boostReader, "load-lightgbm", "load-xgboost", "load-sklearn",
}

// SparseNames lists the contenders of sparse tables in the order they run.
func SparseNames() []string { return slices.Clone(sparseNames) }

// SparseContenders is Contenders for sparse tables; script is the path of sparse_peer.py.
func SparseContenders(self, python, script string, only []string) ([]Contender, error) {
	return contenders(sparseNames, []string{self, "train-sparse"}, []string{self, "load-sparse"}, python, script, only)
}

// sparseTable writes the figures as a Markdown table: the whole way of a person who has
// two files and wants predictions.
func (r *Record) sparseTable(w io.Writer) {
	fmt.Fprintf(w, "| %-24s | load s | bin s | train s | predict s | all s | CPU s | peak MB | test AUC |\n", "trainer")
	fmt.Fprintln(w, "|--------------------------|-------:|------:|--------:|----------:|------:|------:|--------:|---------:|")
	for _, name := range r.order {
		b, _ := r.best(name)
		if b.run.Train == 0 {
			continue
		}
		all, cpu := 0.0, 0.0
		for i, run := range r.Runs[name] {
			if sum := run.Load + run.Bin + run.Train + run.Predict; i == 0 || sum < all {
				all, cpu = sum, run.LoadCPU+run.BinCPU+run.TrainCPU+run.PredictCPU
			}
		}
		fmt.Fprintf(w, "| %-24s | %6.2f | %5.2f | %7.2f | %9.2f | %5.1f | %5.1f | %7.0f | %8.5f |\n", name,
			b.run.Load, b.run.Bin, b.run.Train, b.run.Predict, all, cpu, float64(b.run.PeakBytes)/1e6, b.run.AUC)
	}
	r.readers(w, "LibSVM")
	if len(r.Unfinished) > 0 {
		fmt.Fprintf(w, "\nNot finished within %d s a run: %s.\n", r.Settings.Limit, strings.Join(r.Unfinished, ", "))
	}
	if len(r.Killed) > 0 {
		fmt.Fprintf(w, "\nEnded by the system, out of memory: %s.\n", strings.Join(r.Killed, ", "))
	}
}

// sparseTarget compares boost with the faster of LightGBM's ways to read the files itself.
func (r *Record) sparseTarget() (verdict string, ok bool) {
	const theirName = "lightgbm-file"
	ours, have := r.best(BoostName)
	if !have {
		return "No comparison with LightGBM: boost did not run.", false
	}
	if slices.Contains(r.Unfinished, theirName) {
		return fmt.Sprintf("%s did not finish within %d s; boost trained in %.1f s.", theirName, r.Settings.Limit, ours.run.Train), true
	}
	if slices.Contains(r.Killed, theirName) {
		return fmt.Sprintf("%s ran out of memory; boost trained in %.1f s.", theirName, ours.run.Train), true
	}
	theirs, found := r.best(theirName)
	if !found {
		return "No comparison with LightGBM: it did not run.", false
	}
	// LightGBM bins while it loads: the two count together.
	load := (ours.run.Load + ours.run.Bin) / (theirs.run.Load + theirs.run.Bin)
	time, predict := ours.run.Train/theirs.run.Train, ours.run.Predict/theirs.run.Predict
	memory := float64(ours.run.PeakBytes) / float64(theirs.run.PeakBytes)
	return fmt.Sprintf("Against %s: load and bin × %.3f, training × %.3f, predicting from the file × %.3f, peak memory × %.3f.",
		theirName, load, time, predict, memory), load <= 1 && time <= 1 && predict <= 1
}
