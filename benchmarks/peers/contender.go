package peers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// BoostName and the names of LightGBM's quantized modes: the first target compares them.
const (
	BoostName    = "boost"
	quantizedRow = "lightgbm-quantized-row"
	quantizedCol = "lightgbm-quantized-col"
	boostReader  = "load-boost"
)

// Contender is a command that loads, or loads and trains.
type Contender struct {
	Name    string
	Trains  bool
	Command []string // without the flags that Settings adds
}

// Settings are the same for every contender.
type Settings struct {
	Kind    string `json:"kind,omitempty"` // of a sparse table; "" = the dense one
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Test    int    `json:"test_rows"`
	Threads int    `json:"threads"`
	Rounds  int    `json:"rounds"`
	Repeats int    `json:"repeats"`
	Seed    uint64 `json:"seed"`
	Limit   int    `json:"limit_seconds,omitempty"` // of one run; 0 = none
}

// Names lists the contenders in the order they run.
func Names() []string {
	return []string{
		BoostName, "lightgbm-row", "lightgbm-col", quantizedRow, quantizedCol, "xgboost-hist", "sklearn-hgb",
		boostReader, "load-pandas", "load-pyarrow", "load-lightgbm",
	}
}

// Contenders returns those named in only, all where it is empty: self is this program,
// python the interpreter of the peers' environment, script the path of peer.py.
func Contenders(self, python, script string, only []string) ([]Contender, error) {
	return contenders(Names(), []string{self, "train"}, []string{self, "load"}, python, script, only)
}

// contenders picks those in only out of names; train and load are boost's own commands.
func contenders(names, train, load []string, python, script string, only []string) ([]Contender, error) {
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no contender is called %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	var list []Contender
	for _, name := range names {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		c := Contender{Name: name, Trains: !strings.HasPrefix(name, "load-"), Command: []string{python, script, name}}
		switch name {
		case BoostName:
			c.Command = train
		case boostReader:
			c.Command = load
		}
		list = append(list, c)
	}
	return list, nil
}

// args returns the whole command line.
func (c Contender) args(s Settings, folder, predictions string) []string {
	args := append([]string{}, c.Command[1:]...)
	args = append(args, "--data", folder, "--threads", strconv.Itoa(s.Threads))
	if c.Trains {
		args = append(args, "--rounds", strconv.Itoa(s.Rounds), "--out", predictions)
	}
	return args
}
