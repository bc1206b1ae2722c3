package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"boost/configs"
	"boost/dataset"
	"boost/objectives/metrics"
)

// columnKeys are the keys whose values are columns of the table.
var columnKeys = []string{"data.label", "data.weight", "data.group", "data.event", "data.label_upper", "data.init_score", "data.id", "data.ignore", "data.categorical", "train.valid_by", "sampling.row_by"}

// columnsAtHand returns the columns of the tables among a command's arguments, nil where none can be read.
func columnsAtHand(cmd *cobra.Command, args []string) []string {
	for _, arg := range args {
		if arg != "-" && !isConfig(arg) && !isModel(arg) {
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

// offer lets the shell complete a flag with values.
func offer(cmd *cobra.Command, flag string, values ...string) {
	annotate(cmd, flag, offeredValues, values)
}

// offerColumns lets the shell complete a flag with columns of the table at hand.
func offerColumns(cmd *cobra.Command, flag string) { annotate(cmd, flag, offeredColumns, nil) }

// offerKeys lets the shell complete --set with the keys, and with their values where these are known.
func offerKeys(cmd *cobra.Command, names []string) { annotate(cmd, "set", offeredKeys, names) }

func annotate(cmd *cobra.Command, flag, key string, values []string) {
	f := cmd.Flag(flag)
	if f == nil {
		panic(fmt.Sprintf("boost: no flag --%s to complete", flag))
	}
	f.Annotations = map[string][]string{key: values}
}

// completeFlags tells cobra what the flags of a command and of those below it are completed with.
func completeFlags(cmd *cobra.Command) {
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
		completeFlags(below)
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
			case slices.Contains(columnKeys, name):
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

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Long: `Print a script with which a shell completes boost's commands, flags, keys and columns.

  bash        source <(boost completion bash)
  zsh         boost completion zsh > "${fpath[1]}/_boost"
  fish        boost completion fish > ~/.config/fish/completions/boost.fish
  powershell  boost completion powershell | Out-String | Invoke-Expression

In bash it needs the package bash-completion.`,
		Args:              arguments("bash|zsh|fish|powershell"),
		ValidArgsFunction: cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usagef("no completion script for %q: expected bash, zsh, fish or powershell", args[0])
		},
	}
}
