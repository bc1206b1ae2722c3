package peers

import "strconv"

// BoostName and the names of LightGBM's quantized modes: the first target compares them.
const (
	BoostName    = "boost"
	quantizedRow = "lightgbm-quantized-row"
	quantizedCol = "lightgbm-quantized-col"
)

// Contender is a command that loads, or loads and trains.
type Contender struct {
	Name    string
	Trains  bool
	Command []string // without the flags that Settings adds
}

// Settings are the same for every contender.
type Settings struct {
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Test    int    `json:"test_rows"`
	Threads int    `json:"threads"`
	Rounds  int    `json:"rounds"`
	Repeats int    `json:"repeats"`
	Seed    uint64 `json:"seed"`
}

// Contenders returns all of them: self is this program, python the interpreter of the
// peers' environment, script the path of peer.py.
func Contenders(self, python, script string) []Contender {
	all := []Contender{{Name: BoostName, Trains: true, Command: []string{self, "train"}}}
	for _, name := range []string{"lightgbm-row", "lightgbm-col", quantizedRow, quantizedCol, "xgboost-hist", "sklearn-hgb"} {
		all = append(all, Contender{Name: name, Trains: true, Command: []string{python, script, name}})
	}
	all = append(all, Contender{Name: "load-boost", Command: []string{self, "load"}})
	for _, name := range []string{"load-pandas", "load-pyarrow", "load-lightgbm"} {
		all = append(all, Contender{Name: name, Command: []string{python, script, name}})
	}
	return all
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
