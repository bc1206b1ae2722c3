package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/internal/replace"
)

// The thresholds of the rules by shape, by the file that declares them.
var thresholds = map[string][]string{
	"binning/bundle.go":     {"bundleShare"},
	"binning/joint.go":      {"rowsPerJointCode"},
	"booster/lanes.go":      {"besideCells"},
	"booster/train.go":      {"minCellsPerThread"},
	"histogram/builder.go":  {"smallTable", "smallNode", "denseShare"},
	"histogram/direct.go":   {"columnShare"},
	"histogram/lists.go":    {"listRow"},
	"histogram/tile.go":     {"tileBytes", "tilePlaces", "leastPlaces", "placeSlots", "lineSlots"},
	"histogram/touched.go":  {"manySlots", "touchedShare"},
	"tree/grow/frontier.go": {"largeNode", "aheadPerThread", "smallSlots"},
	"tree/grow/rows.go":     {"smallSplit", "leastStretch"},
	"tree/grow/search.go":   {"smallTiles", "smallShare", "smallSearch", "leastFlags", "updatesPerCode"},
	"tree/grow/splitter.go": {"smallDivide"},
}

//go:embed rules_run.txt
var rulesRun string

// rulesKnobs is the package that the copy's thresholds are listed in.
const rulesKnobs = `package knobs

var All = map[string]func(factor float64){}

func Add(name string, p *int) {
	base := float64(*p)
	All[name] = func(factor float64) { *p = int(min(base*factor, 1<<40)) }
}
`

type measuringRules struct {
	threads, passes        int
	budget                 float64
	factors, only, results string
}

func rulesCommand() *cobra.Command {
	var m measuringRules
	c := &cobra.Command{
		Use:   "rules FOLDER…",
		Short: "Times training with each threshold of the rules by shape multiplied, on tables that `real` has prepared",
		Long: `Times training with each threshold of the rules by shape multiplied, in turns, on tables that ` + "`real`" + ` has prepared.

A copy of the last commit is built in which thresholds are variables. For each factor: the geometric mean over the tables
of its time in that of most thresholds', and the table that it makes slowest. Then what leave-one-out chooses: for
each table the factor, 1 included, that is best on the others, and what that costs on the table itself.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, folders []string) error { return m.run(cmd, folders) },
	}
	f := c.Flags()
	f.IntVar(&m.threads, "threads", 1, "threads")
	f.IntVar(&m.passes, "passes", 3, "turns through all thresholds")
	f.Float64Var(&m.budget, "budget", 0.1, "seconds to repeat a training for in each turn")
	f.StringVar(&m.factors, "factors", "0.5,2", "factors of the thresholds")
	f.StringVar(&m.only, "only", "", "some thresholds, by commas; all if empty")
	f.StringVar(&m.results, "results", "", "file that the least seconds are written to")
	return c
}

func (m *measuringRules) run(cmd *cobra.Command, folders []string) error {
	copied, err := os.MkdirTemp("", "rules")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(copied) }() // of no further use
	if err := adjustable(cmd, copied); err != nil {
		return err
	}
	for i, folder := range folders {
		if folders[i], err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	seconds := filepath.Join(copied, "seconds.json")
	args := []string{"run", "./rules", strconv.Itoa(m.threads), strconv.Itoa(m.passes), fmt.Sprint(m.budget), m.factors, m.only, seconds}
	run := exec.CommandContext(cmd.Context(), "go", append(args, folders...)...)
	run.Dir, run.Stdout, run.Stderr = copied, cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if err := run.Run(); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	text, err := os.ReadFile(seconds)
	if err != nil {
		return err
	}
	if m.results != "" {
		err := replace.File(m.results, func(f *os.File) error {
			_, err := f.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	var sets []setSeconds
	if err := json.Unmarshal(text, &sets); err != nil {
		return err
	}
	cmd.Print(rulesTable(sets))
	return nil
}

// adjustable copies the last commit, and turns thresholds to variables there.
func adjustable(cmd *cobra.Command, copied string) error {
	root, err := exec.CommandContext(cmd.Context(), "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("rules: the project is no git repository: %w", err)
	}
	clone := exec.CommandContext(cmd.Context(), "git", "clone", "--quiet", strings.TrimSpace(string(root)), copied)
	if out, err := clone.CombinedOutput(); err != nil {
		return fmt.Errorf("rules: copying the last commit: %w: %s", err, out)
	}
	for path, names := range thresholds {
		path = filepath.Join(copied, path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source := string(text)
		for _, name := range names {
			declared := regexp.MustCompile(`(?m)^(\t|const |var )` + name + `\s*=\s*([^\n/]+?)\s*(//.*)?$`).FindStringSubmatchIndex(source)
			if declared == nil {
				return fmt.Errorf("rules: %s does not declare %s on a line of its own", path, name)
			}
			value := source[declared[4]:declared[5]]
			source = source[:declared[0]] + source[declared[1]:] +
				fmt.Sprintf("\nvar %s = %s\n\nfunc init() { knobs.Add(%q, &%s) }\n", name, value, name, name)
		}
		at := strings.Index(source, "\npackage ") + 1
		at += strings.Index(source[at:], "\n") + 1
		source = source[:at] + "\nimport \"boost/knobs\"\n" + source[at:]
		if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
			return err
		}
	}
	for path, text := range map[string]string{"knobs/knobs.go": rulesKnobs, "rules/main.go": rulesRun} {
		path = filepath.Join(copied, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// setSeconds are the least seconds of a table, by threshold and factor.
type setSeconds struct {
	Set     string
	Seconds map[string]map[string]float64
}

// rulesTable compares the factors of each threshold. What a table takes as it is, is the median over all thresholds: few
// matter to it.
func rulesTable(sets []setSeconds) string {
	ratios := map[string]map[string][]float64{} // threshold, factor, table
	for i, s := range sets {
		var all []float64
		for _, by := range s.Seconds {
			for _, seconds := range by {
				all = append(all, seconds)
			}
		}
		slices.Sort(all)
		for name, by := range s.Seconds {
			if ratios[name] == nil {
				ratios[name] = map[string][]float64{"1": slices.Repeat([]float64{1}, len(sets))}
			}
			for factor, seconds := range by {
				if ratios[name][factor] == nil {
					ratios[name][factor] = slices.Repeat([]float64{1}, len(sets))
				}
				ratios[name][factor][i] = seconds / all[len(all)/2]
			}
		}
	}
	var b strings.Builder
	b.WriteString("| threshold | factor: time in the mean (slowest) | leave-one-out chooses | and costs |\n|---|---|---|--:|\n")
	for _, name := range sorted(ratios) {
		by := ratios[name]
		factors := sorted(by)
		var each []string
		for _, factor := range factors {
			if factor != "1" {
				worst := slices.Index(by[factor], slices.Max(by[factor]))
				each = append(each, fmt.Sprintf("× %s: %.3f (%s %.2f)", factor, meanWithout(by[factor], -1), sets[worst].Set, by[factor][worst]))
			}
		}
		chosen, left := map[string]int{}, make([]float64, len(sets))
		for i := range sets {
			best := slices.MinFunc(factors, func(x, y string) int { return cmp.Compare(meanWithout(by[x], i), meanWithout(by[y], i)) })
			chosen[best]++
			left[i] = by[best][i]
		}
		var choices []string
		for _, factor := range sorted(chosen) {
			choices = append(choices, fmt.Sprintf("× %s %d times", factor, chosen[factor]))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f |\n", name, strings.Join(each, "; "), strings.Join(choices, ", "), meanWithout(left, -1))
	}
	return b.String()
}

func sorted[V any](by map[string]V) []string {
	keys := make([]string, 0, len(by))
	for key := range by {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// meanWithout is the geometric mean of all but the i-th.
func meanWithout(ratios []float64, i int) float64 {
	sum, n := 0.0, 0
	for k, ratio := range ratios {
		if k != i {
			sum += math.Log(ratio)
			n++
		}
	}
	return math.Exp(sum / float64(max(n, 1)))
}
