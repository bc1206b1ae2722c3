// Package usage holds what all commands say of their command line.
//
// In: commands and their arguments. Out: words about what is wrong with these. It must not know what commands do.
package usage

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"boost/cmd/boost/internal/exit"
	"boost/internal/near"
)

// Template is cobra's, less what goes without saying.
const Template = `Usage:
  {{.CommandPath}}{{if .HasParent}}{{slice .UseLine (len .CommandPath)}}{{else}} COMMAND{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableInheritedFlags}}

Flags of all commands:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableSubCommands}}

boost COMMAND --help describes a command.{{end}}
`

// Commands gives a command that only holds others these, and words for a name that none has.
func Commands(group *cobra.Command, own ...*cobra.Command) *cobra.Command {
	group.AddCommand(own...)
	group.Args = cobra.ArbitraryArgs
	group.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return UnknownCommand(cmd, args[0])
	}
	return group
}

// UnknownCommand is the error about a name that no command of cmd has.
func UnknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return exit.Usagef("unknown command %q%s; %s --help lists the commands", name, near.Question(near.Words(name, names)), cmd.CommandPath())
}

// Arguments says what a command's arguments are, in order.
func Arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return exit.Usagef("%s is missing: %s", names[len(args)], line(cmd))
		case len(args) > len(names):
			return exit.Usagef("unexpected argument %q: the usage is %s", args[len(names)], line(cmd))
		}
		return nil
	}
}

// line is a command with its arguments, as it is typed: boost registry list DIR.
func line(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
}

// AtLeast is Arguments for a command whose last argument can be given several times.
func AtLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return Arguments(names...)(cmd, args[:min(len(args), len(names))])
	}
}

// Positive refuses a number below 1 that a flag was given.
func Positive(cmd *cobra.Command, flag string) error {
	if n, err := cmd.Flags().GetInt(flag); err == nil && n < 1 && cmd.Flags().Changed(flag) {
		return exit.Usagef("--%s must be at least 1, not %d", flag, n)
	}
	return nil
}

// FlagError explains a flag that does not exist or has a bad value.
func FlagError(cmd *cobra.Command, err error) error {
	if given := cmd.Flags().Args(); !cmd.HasParent() && len(given) > 0 {
		return UnknownCommand(cmd, given[0])
	}
	message := err.Error()
	if name, ok := strings.CutPrefix(message, "unknown flag: --"); ok {
		if name == "version" {
			return exit.Usagef("unknown flag --version: boost --version prints it")
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		meant := near.Words(name, known)
		for i := range meant {
			meant[i] = "--" + meant[i]
		}
		return exit.Usagef("unknown flag --%s%s; %s --help lists the flags", name, near.Question(meant), cmd.CommandPath())
	}
	if before, why, ok := strings.Cut(message, ": strconv."); ok {
		// strconv tells programmers what it wanted; people see which flag and value.
		kind := "a number"
		if strings.HasPrefix(why, "ParseBool") {
			kind = "true or false"
		}
		message = before + ", which must be " + kind
	}
	return exit.Usagef("%s; %s --help lists the flags", message, cmd.CommandPath())
}
