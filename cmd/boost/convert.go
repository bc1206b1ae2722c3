package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/internal/replace"
	"boost/internal/vfs"
)

func (a *app) convertCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a model as JSON, or a model in JSON as a model file",
		Long: `Write a model as .boost or .json, by the ending of OUT. JSON is one object with all that the
model file holds. A round trip gives the same bytes. All commands read models in JSON too;
--load compact needs a model file.`,
		Example: `  boost convert price.boost price.json
  boost convert price.json price.boost`,
		Args: usage.Arguments("IN", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ending := strings.ToLower(filepath.Ext(args[1]))
			if ending != ".json" && ending != ".boost" {
				return exit.Usagef("%s: expected a name that ends in .boost or .json", args[1])
			}
			if err := a.checkOutput(cmd, args[1], args[:1]); err != nil {
				return err
			}
			m, err := regdir.Load(args[0])
			if err != nil {
				return err
			}
			if ending == ".boost" {
				return a.saveModel(m, args[1])
			}
			err = replace.File(vfs.OS, args[1], func(f vfs.File) error {
				_, err := f.Write(m.EncodeText())
				return err
			})
			if err == nil {
				a.log.Info(args[1] + " was written")
			}
			return err
		},
	}
}
