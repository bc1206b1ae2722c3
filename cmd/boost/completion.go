package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/configs"
	"boost/dataset"
)

// columnKeys are the keys whose values are columns of the table.
var columnKeys = []string{"data.label", "data.weight", "data.group", "data.init_score", "data.id", "data.ignore", "data.categorical", "train.valid_by"}

// columnsAtHand returns the columns of the tables among a command's arguments, nil where none can be read.
func columnsAtHand(cmd *cobra.Command, args []string) []string {
	tables := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" || isConfig(arg) || isModel(arg) })
	if len(tables) == 0 {
		return nil
	}
	names, err := dataset.ColumnNames(cmd.Context(), tables[:1])
	if err != nil {
		return nil // what is wrong with the table is said when the command runs
	}
	return names
}

// offerColumns lets the shell complete a flag with columns of the table at hand.
func offerColumns(cmd *cobra.Command, flag string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return columnsAtHand(cmd, args), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(fmt.Sprintf("boost: no flag --%s to complete: %v", flag, err))
	}
}

// offerKeys lets the shell complete --set with the keys, and with their values where these are known.
func offerKeys(cmd *cobra.Command, names []string) {
	err := cmd.RegisterFlagCompletionFunc("set", func(cmd *cobra.Command, args []string, begun string) (words []string, _ cobra.ShellCompDirective) {
		name, _, hasValue := strings.Cut(begun, "=")
		for _, k := range configs.Keys() {
			switch {
			case names != nil && !slices.Contains(names, k.Name):
			case !hasValue:
				words = append(words, k.Name+"=\t"+k.Doc)
			case k.Name == name:
				values := k.Choices
				if slices.Contains(columnKeys, name) {
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
	})
	if err != nil {
		panic("boost: no flag --set to complete: " + err.Error())
	}
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
