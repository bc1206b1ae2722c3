package parts

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"boost/benchmarks/harness"
	"boost/benchmarks/synth"
)

// Builds are the two programs: of before and of now.
type Builds struct{ Base, Tree string }

// Race says what is trained: Folder holds a generated table as text.
type Race struct {
	Folder                 string
	Rounds, Threads, Turns int
}

// The stages, in the order of the table.
var stages = []string{"load", "bin", "train", "predict", "peak MB"}

// BuildFigures are the smallest of all turns, by stage.
type BuildFigures struct {
	Base, Tree map[string]float64
	SameModel  bool // both builds make the same bytes
}

// Measure runs both sides in turn. Which one goes first changes from turn to turn.
func (s Race) Measure(ctx context.Context, sides Builds) (*BuildFigures, error) {
	f := &BuildFigures{Base: map[string]float64{}, Tree: map[string]float64{}}
	var models [2]string
	for turn := range s.Turns {
		for i := range 2 {
			side := (turn + i) % 2
			program, kept := sides.Base, f.Base
			if side == 1 {
				program, kept = sides.Tree, f.Tree
			}
			found, model, err := s.once(ctx, program)
			if err != nil {
				return nil, err
			}
			models[side] = model
			for stage, v := range found {
				if old, ok := kept[stage]; !ok || v < old {
					kept[stage] = v
				}
			}
		}
	}
	f.SameModel = models[0] == models[1]
	return f, nil
}

// once trains and predicts with a program, and returns its figures and its model's hash.
func (s Race) once(ctx context.Context, program string) (map[string]float64, string, error) {
	table, model := filepath.Join(s.Folder, synth.TrainCSV), filepath.Join(s.Folder, "guard.boost")
	var summary struct {
		Seconds struct{ Load, Bin, Train float64 }
		SHA256  string
	}
	used, err := harness.Process{Threads: s.Threads, Command: []string{program, "train", table, "--label", synth.Label, "--json", "-o", model,
		"--threads", strconv.Itoa(s.Threads), "--set", "train.rounds=" + strconv.Itoa(s.Rounds), "--set", "train.early_stopping=0"}}.Run(ctx, &summary)
	if err != nil {
		return nil, "", fmt.Errorf("%s train: %w", program, err)
	}
	predict := []string{program, "predict", model, table, "-o", filepath.Join(s.Folder, "guard.csv")}
	predicted, err := harness.Process{Threads: s.Threads, Command: predict}.Run(ctx, nil)
	if err != nil {
		return nil, "", fmt.Errorf("%s predict: %w", program, err)
	}
	return map[string]float64{
		"load": summary.Seconds.Load, "bin": summary.Seconds.Bin, "train": summary.Seconds.Train,
		"predict": predicted.Wall, "peak MB": float64(used.Peak) / 1e6,
	}, summary.SHA256, nil
}

// Table writes the figures; a ratio above 1 says that the tree does with less.
func (f *BuildFigures) Table(w io.Writer) {
	fmt.Fprintln(w, "| stage   |     base |     tree | base by tree |")
	fmt.Fprintln(w, "|---------|---------:|---------:|-------------:|")
	for _, stage := range stages {
		base, tree := f.Base[stage], f.Tree[stage]
		ratio := "–"
		if base > 0 && tree > 0 {
			ratio = fmt.Sprintf("%.3f", base/tree)
		}
		fmt.Fprintf(w, "| %-7s | %8.3f | %8.3f | %12s |\n", stage, base, tree, ratio)
	}
	same := "the same model bytes"
	if !f.SameModel {
		same = "other model bytes: see CHANGELOG.md, Numerics"
	}
	fmt.Fprintln(w, "\nThe builds make "+same+".")
}
