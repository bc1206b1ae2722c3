package main

import (
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/usage"

	"github.com/spf13/cobra"
)

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
		Args:              usage.Arguments("bash|zsh|fish|powershell"),
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
			return exit.Usagef("no completion script for %q: expected bash, zsh, fish or powershell", args[0])
		},
	}
}
