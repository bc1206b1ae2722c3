package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"boost/configs"
)

// keyFlag is a flag that stands for a key of the config.
type keyFlag struct {
	name, short string
	key         string
	whole       bool // the value is one entry of a list, also with commas in it
	usage       string
}

// columnFlags say what the columns of a table are for.
var columnFlags = []keyFlag{
	{name: "weight", key: "data.weight", usage: "`COLUMN` with the weight of each row"},
	{name: "group", key: "data.group", usage: "`COLUMN` with the query of each row"},
	{name: "event", key: "data.event", usage: "`COLUMN` that is 1 where the event came at the time in the label, 0 where not"},
	{name: "ignore", key: "data.ignore", usage: "`COLUMNS` to leave out, separated by commas; repeatable"},
	{name: "categorical", key: "data.categorical", usage: "`COLUMNS` to use as categories, also if they hold numbers, separated by commas; repeatable"},
}

// trainKeyFlags are those of train, less columnFlags.
var trainKeyFlags = []keyFlag{
	{name: "label", key: "data.label", usage: "`COLUMN` to predict, or several, separated by commas"},
	{name: "valid", key: "data.valid", whole: true, usage: "validation `TABLE`, or share of the rows to hold out, such as 0.2; tables are repeatable, the first one decides early stopping"},
	{name: "valid-by", key: "train.valid_by", usage: "`COLUMN` that marks the rows to hold out for validation: valid, true, yes or 1; other rows have train, false, no or 0"},
	{name: "test", key: "data.test", whole: true, usage: "test `TABLE`, scored once after training; repeatable"},
	{name: "objective", key: "train.objective", usage: "loss to minimise, by `NAME` (default: from the label)"},
	{name: "effort", key: "train.effort", usage: "`LEVEL` of effort: quick, default or best"},
	{name: "budget", key: "train.budget", usage: "`TIME` for the whole run, like 60s or 10m: the best model that fits"},
	{name: "rounds", key: "train.rounds", usage: "train up to `N` rounds"},
	{name: "learning-rate", key: "train.learning_rate", usage: "`FACTOR` on the values of each tree"},
	{name: "leaves", key: "tree.leaves", usage: "grow trees of up to `N` leaves"},
	{name: "seed", key: "train.seed", usage: "`SEED` of everything random"},
	{name: "threads", key: "train.threads", usage: "use `N` threads; 0 = CPU quota or physical cores, the smaller"},
	{name: "init-model", key: "train.init_model", whole: true, usage: "continue from this `MODEL`"},
	{name: "checkpoint", key: "output.checkpoint", whole: true, usage: "save training in this `FOLDER` from time to time, for --resume"},
	{name: "output", short: "o", key: "output.model", whole: true, usage: "model `FILE` (default: named after the table, in this folder)"},
}

// addKeyFlags gives the command flags for keys.
func addKeyFlags(cmd *cobra.Command, flags []keyFlag) {
	keys := configs.Keys()
	for _, f := range flags {
		cmd.Flags().StringArrayP(f.name, f.short, nil, f.usage)
		for _, k := range keys {
			switch {
			case k.Name != f.key:
			case len(k.Choices) > 0:
				offer(cmd, f.name, k.Choices...)
			case slices.Contains(columnKeys, f.key):
				offerColumns(cmd, f.name)
			}
		}
	}
}

// givenKeys returns the flags for keys that the command line has.
func givenKeys(cmd *cobra.Command, flags []keyFlag) ([]configs.Flag, error) {
	var given []configs.Flag
	for _, f := range flags {
		values, err := cmd.Flags().GetStringArray(f.name)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			flag := configs.Flag{Name: "--" + f.name, Key: f.key, Value: value, Whole: f.whole}
			if share, ok := shareOf(value); f.name == "valid" && ok {
				if share >= 1 {
					return nil, usagef("--valid %s: a share of the rows is less than 1, as 0.2 or 20%%; no file has this name", pasted(value))
				}
				flag.Key, flag.Whole = "train.valid_share", false
			}
			given = append(given, flag)
		}
	}
	return given, nil
}

// shareOf returns the number that the value of --valid is, if it is one and not the name of a file.
func shareOf(value string) (share float64, ok bool) {
	share, err := configs.ParseShare(value)
	if err != nil {
		return 0, false
	}
	_, err = os.Stat(value)
	return share, err != nil
}
