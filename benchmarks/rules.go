package main

import (
	"cmp"
	"context"
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

// rulesKnobs is the package that lists the thresholds.
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

The program is built with thresholds that are variables. For each factor: the geometric mean over the tables
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
	folder, err := os.MkdirTemp("", "rules")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // of no further use
	program, err := adjustable(cmd.Context(), folder)
	if err != nil {
		return err
	}
	seconds := filepath.Join(folder, "seconds.json")
	args := []string{strconv.Itoa(m.threads), strconv.Itoa(m.passes), fmt.Sprint(m.budget), m.factors, m.only, seconds}
	run := exec.CommandContext(cmd.Context(), program, append(args, folders...)...)
	run.Stdout, run.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
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

// adjustable builds the program whose thresholds are variables, in a folder, from sources that only the compiler sees.
func adjustable(ctx context.Context, folder string) (program string, err error) {
	listed, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}}\n{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("rules: finding the module: %w", err)
	}
	module, root, _ := strings.Cut(strings.TrimSpace(string(listed)), "\n")
	sources := map[string]string{ // by their place in the module
		"knobs/knobs.go": rulesKnobs,
		"rules/main.go":  strings.ReplaceAll(rulesRun, `"boost/`, `"`+module+"/"),
	}
	for path, names := range thresholds {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return "", err
		}
		if sources[path], err = withVariables(string(text), names, module); err != nil {
			return "", fmt.Errorf("rules: %s %w", path, err)
		}
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for path, source := range sources {
		file := filepath.Join(folder, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			return "", err
		}
		overlay["Replace"][filepath.Join(root, path)] = file
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "rules")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", program, "./rules")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("rules: building with thresholds that are variables: %w: %s", err, out)
	}
	return program, nil
}

// withVariables turns constants of a source to variables that package knobs lists.
func withVariables(source string, names []string, module string) (string, error) {
	for _, name := range names {
		at := regexp.MustCompile(`(?m)^(\t|const |var )` + name + `\s*=\s*([^\n/]+?)\s*(//.*)?$`).FindStringSubmatchIndex(source)
		if at == nil {
			return "", fmt.Errorf("does not declare %s on a line of its own", name)
		}
		value := source[at[4]:at[5]]
		source = source[:at[0]] + source[at[1]:] + fmt.Sprintf("\nvar %s = %s\n\nfunc init() { knobs.Add(%q, &%s) }\n", name, value, name, name)
	}
	clause := regexp.MustCompile(`(?m)^package \w+$`).FindStringIndex(source)
	return source[:clause[1]] + fmt.Sprintf("\n\nimport \"%s/knobs\"", module) + source[clause[1]:], nil
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
