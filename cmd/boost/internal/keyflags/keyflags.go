// Package keyflags gives commands flags that stand for keys of the config, and turns the settings in messages into them.
//
// In: flags and what they are given. Out: assignments of keys. It must not know what a command does.
package keyflags

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/configs"
	"boost/internal/format"
)

// Flag is a flag that stands for a key of the config.
type Flag struct {
	Name, Short string
	Key         string
	Whole       bool // the value is one entry of a list, also with commas in it
	Usage       string
}

// Reading are the keys that say how a table is written. They stand above what a model
// remembers of its own.
var Reading = []string{
	"data.format", "data.missing", "data.missing_only", "data.parse", "data.blanks", "data.decimal", "data.encoding", "data.separator", "data.header", "data.skip_lines", "data.on_bad_row",
	"data.absent", "data.index_base", "data.sheet", "data.side_files",
}

// Types are the keys that matter only while a table's types are inferred.
var Types = []string{"data.weight", "data.group", "data.position", "data.event", "data.label_upper", "data.init_score", "data.id", "data.ignore", "data.categorical"}

// Columns are the flags that say what the columns of a table are for.
var Columns = []Flag{
	{Name: "weight", Key: "data.weight", Usage: "`COLUMN` with the weight of each row"},
	{Name: "group", Key: "data.group", Usage: "`COLUMN` with the query of each row"},
	{Name: "event", Key: "data.event", Usage: "`COLUMN` that is 1 where the event came at the time in the label, 0 where not"},
	{Name: "ignore", Key: "data.ignore", Usage: "`COLUMNS` to leave out, separated by commas; repeatable"},
	{Name: "categorical", Key: "data.categorical", Usage: "`COLUMNS` to use as categories, also if they hold numbers, separated by commas; repeatable"},
}

// Train are the flags of train, less Columns.
var Train = []Flag{
	{Name: "label", Key: "data.label", Usage: "`COLUMN` to predict, or several, separated by commas"},
	{Name: "valid", Key: "data.valid", Whole: true, Usage: "validation `TABLE`, or share of the rows to hold out, such as 0.2; tables are repeatable, the first one decides early stopping"},
	{Name: "valid-by", Key: "train.valid_by", Usage: "`COLUMN` that marks the rows to hold out for validation: valid, true, yes or 1; other rows have train, false, no or 0"},
	{Name: "test", Key: "data.test", Whole: true, Usage: "test `TABLE`, scored once after training; repeatable"},
	{Name: "objective", Key: "train.objective", Usage: "loss to minimise, by `NAME` (default: from the label)"},
	{Name: "effort", Key: "train.effort", Usage: "`LEVEL` of effort: quick, default or best"},
	{Name: "budget", Key: "train.budget", Usage: "`TIME` for the whole run, like 60s or 10m: the best model that fits"},
	{Name: "rounds", Key: "train.rounds", Usage: "train up to `N` rounds"},
	{Name: "learning-rate", Key: "train.learning_rate", Usage: "`FACTOR` on the values of each tree"},
	{Name: "leaves", Key: "tree.leaves", Usage: "grow trees of up to `N` leaves"},
	{Name: "seed", Key: "train.seed", Usage: "`SEED` of everything random"},
	{Name: "threads", Key: "train.threads", Usage: "use `N` threads; 0 = CPU quota or physical cores, the smaller"},
	{Name: "init-model", Key: "train.init_model", Whole: true, Usage: "continue from this `MODEL`"},
	{Name: "checkpoint", Key: "output.checkpoint", Whole: true, Usage: "save training in this `FOLDER` from time to time, for --resume"},
	{Name: "output", Short: "o", Key: "output.model", Whole: true, Usage: "model `FILE` (default: named after the table, in this folder)"},
}

// Add gives the command flags for keys.
func Add(cmd *cobra.Command, flags []Flag) {
	keys := configs.Keys()
	for _, f := range flags {
		cmd.Flags().StringArrayP(f.Name, f.Short, nil, f.Usage)
		for _, k := range keys {
			switch {
			case k.Name != f.Key:
			case len(k.Choices) > 0:
				complete.With(cmd, f.Name, k.Choices...)
			case slices.Contains(complete.ColumnKeys, f.Key):
				complete.WithColumns(cmd, f.Name)
			}
		}
	}
}

// Given returns the flags for keys that the command line has.
func Given(cmd *cobra.Command, flags []Flag) ([]configs.Flag, error) {
	var given []configs.Flag
	for _, f := range flags {
		values, err := cmd.Flags().GetStringArray(f.Name)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			flag := configs.Flag{Name: "--" + f.Name, Key: f.Key, Value: value, Whole: f.Whole}
			if share, ok := ShareOf(value); f.Name == "valid" && ok {
				switch {
				case share == 0:
					return nil, exit.Usagef("--valid 0: early stopping needs rows to judge by, and train.early_stopping = 0 holds none out: leave the flag out")
				case share >= 1:
					return nil, exit.Usagef("--valid %s: a share of the rows is less than 1, as 0.2 or 20%%; no file has this name", format.Pasted(value))
				}
				flag.Key, flag.Whole = "train.valid_share", false
			}
			given = append(given, flag)
		}
	}
	return given, nil
}

// ShareOf returns the number that the value of --valid is, if it is one and not the name of a file.
func ShareOf(value string) (share float64, ok bool) {
	share, err := configs.ParseShare(value)
	if err != nil {
		return 0, false
	}
	_, err = os.Stat(value)
	return share, err != nil
}
