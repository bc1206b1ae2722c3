// Package complete says what a shell completes flags with: values, columns of the table at hand, keys of a config.
package complete

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"boost/cmd/boost/internal/filename"
	"boost/configs"
	"boost/dataset"
	"boost/objectives/metrics"
)

// ColumnKeys are the keys whose values are columns of the table.
var ColumnKeys = []string{"data.label", "data.weight", "data.group", "data.event", "data.label_upper", "data.init_score", "data.id", "data.ignore", "data.categorical", "train.valid_by", "sampling.row_by"}

// columnsAtHand returns the columns of the tables among a command's arguments, nil where none can be read.
func columnsAtHand(cmd *cobra.Command, args []string) []string {
	for _, arg := range args {
		if arg != "-" && !filename.IsConfig(arg) && !filename.IsModel(arg) {
			names, _ := dataset.ColumnNames(cmd.Context(), []string{arg}) // what is wrong with the table is said when the command runs
			return names
		}
	}
	return nil
}

// What the shell completes a flag with stands in its annotations. cobra is told only where the shell asks: it keeps what
// it is told for the whole process.
const (
	offeredValues  = "boost_values"
	offeredColumns = "boost_columns" // those of the table at hand
	offeredKeys    = "boost_keys"    // these, or all where there are none
)

// With lets the shell complete a flag with values.
func With(cmd *cobra.Command, flag string, values ...string) {
	annotate(cmd, flag, offeredValues, values)
}

// WithColumns lets the shell complete a flag with columns of the table at hand.
func WithColumns(cmd *cobra.Command, flag string) { annotate(cmd, flag, offeredColumns, nil) }

// WithKeys lets the shell complete --set with the keys, and with their values where these are known.
func WithKeys(cmd *cobra.Command, names []string) { annotate(cmd, "set", offeredKeys, names) }

func annotate(cmd *cobra.Command, flag, key string, values []string) {
	f := cmd.Flag(flag)
	if f == nil {
		panic(fmt.Sprintf("boost: no flag --%s to complete", flag))
	}
	f.Annotations = map[string][]string{key: values}
}

// Register tells cobra what the flags of a command and of those below it are completed with.
func Register(cmd *cobra.Command) {
	flags := func(f *pflag.Flag) {
		for key, values := range f.Annotations {
			var complete cobra.CompletionFunc
			switch key {
			case offeredValues:
				complete = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
			case offeredColumns:
				complete = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
					return columnsAtHand(cmd, args), cobra.ShellCompDirectiveNoFileComp
				}
			case offeredKeys:
				complete = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
					return keysAtHand(cmd, args, begun, values)
				}
			default:
				continue
			}
			if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				panic(fmt.Sprintf("boost: completing --%s: %v", f.Name, err))
			}
		}
	}
	cmd.LocalFlags().VisitAll(flags)
	for _, below := range cmd.Commands() {
		Register(below)
	}
}

// keysAtHand completes an assignment to one of the named keys, of all where there are no names.
func keysAtHand(cmd *cobra.Command, args []string, begun string, names []string) (words []string, _ cobra.ShellCompDirective) {
	name, _, hasValue := strings.Cut(begun, "=")
	for _, k := range configs.Keys() {
		switch {
		case names != nil && !slices.Contains(names, k.Name):
		case !hasValue:
			words = append(words, k.Name+"=\t"+k.Doc)
		case k.Name == name:
			values := k.Choices
			switch {
			case name == "metrics.names":
				values = metrics.Offers()
			case slices.Contains(ColumnKeys, name):
				values = columnsAtHand(cmd, args)
			}
			for _, value := range values {
				words = append(words, name+"="+value)
			}
		}
	}
	if hasValue {
		return words, cobra.ShellCompDirectiveDefault
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
