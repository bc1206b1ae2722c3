package peers

import (
	"strconv"
	"strings"

	"boost/benchmarks/synth"
)

// BoostName is ours as it is by default, EightBits with gradients of 8 bits that are rounded at
// random, as LightGBM's quantized ones are, OneThread the first on a single thread.
const (
	BoostName = "boost"
	EightBits = "boost-i8"
	OneThread = "boost-1-thread"
)

// isOurs says that a contender is boost in one of its ways.
func isOurs(name string) bool { return name == BoostName || name == EightBits || name == OneThread }

// Contender is a command that does a row's task.
type Contender struct {
	Name    string   // of a peer with OpenMP, its way of waiting at the end
	Command []string // without the flags that the row adds
	Wait    string   // one of Waits; "" = no OpenMP
}

// Contenders returns boost and the peers that can do the row's task, each peer with OpenMP once for
// each way of waiting: self is this
// program, python the interpreter of the peers' environment, script the path of peer.py.
func Contenders(row Row, self, python, script string) []Contender {
	list := []Contender{{Name: BoostName, Command: []string{self, "train"}}}
	if row.Task != Bin {
		list = append(list, Contender{Name: EightBits, Command: []string{self, "train", "--gradients", "i8"}})
	}
	for _, name := range peerNames(row) {
		command := []string{python, script, name}
		if !openMP(name) {
			list = append(list, Contender{Name: name, Command: command})
			continue
		}
		for _, wait := range Waits() {
			list = append(list, Contender{Name: name + "-" + wait, Command: command, Wait: wait})
		}
	}
	return list
}

// peerNames lists the peers of a row, in the order they run: those that are usually fast
// first, which bounds the time that the others are given.
func peerNames(row Row) []string {
	arrays := []string{
		"lightgbm-quantized-row", "lightgbm-row", "xgboost-hist", "lightgbm-quantized-col", "lightgbm-col",
		"hessboost", "catboost", "sklearn-hgb",
	}
	files := []string{"lightgbm-quantized-file", "lightgbm-file"}
	switch {
	case row.Task == Bin: // quantized gradients change nothing here, and hessboost bins inside training
		return []string{"lightgbm-row", "lightgbm-col", "xgboost-hist", "catboost", "sklearn-hgb"}
	case row.Task == Text && synth.Sparse(row.Kind): // pandas does not read LibSVM
		return append(files, "xgboost-file")
	case row.Task == Text:
		return append(arrays, files...)
	case synth.Sparse(row.Kind): // scikit-learn's takes no sparse rows
		return arrays[:len(arrays)-1]
	}
	return arrays
}

// isLightGBM says that a contender counts for "LightGBM's best" in the row. Where raw
// text is read it is pandas that it is read with, if pandas can.
func isLightGBM(row *Row, name string) bool {
	if row.Task == Text && !synth.Sparse(row.Kind) && strings.HasSuffix(Base(name), "-file") {
		return false
	}
	return strings.HasPrefix(name, "lightgbm-")
}

// args returns the whole command line; predictions may be "".
func (c Contender) args(row *Row, rounds int, folder, predictions string) []string {
	args := append([]string{}, c.Command[1:]...)
	args = append(args, "--data", folder, "--task", row.Task, "--threads", strconv.Itoa(c.threads(row)),
		"--rounds", strconv.Itoa(rounds), "--leaves", strconv.Itoa(row.Leaves), "--classes", strconv.Itoa(row.Classes()))
	if row.Task == Fits {
		args = append(args, "--fits", strconv.Itoa(row.Fits))
	}
	if list := synth.Categorical(row.Kind); len(list) > 0 {
		texts := make([]string, len(list))
		for i, f := range list {
			texts[i] = strconv.Itoa(f)
		}
		args = append(args, "--categorical", strings.Join(texts, ","))
	}
	if synth.Sparse(row.Kind) && !isOurs(c.Name) {
		args = append(args, "--columns", strconv.Itoa(row.Columns))
	}
	if predictions != "" {
		args = append(args, "--out", predictions)
	}
	return args
}

func (c Contender) threads(row *Row) int {
	if c.Name == OneThread {
		return 1
	}
	return row.Threads
}
