package main

import (
	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/dataset"
	"boost/internal/unseen"
)

// unseenFlag is the flag that says how to treat categories that training did not have.
type unseenFlag struct{ onUnseen string }

func (f *unseenFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.onUnseen, "on-unseen", "", "`HOW` to treat categories that training did not have: missing (as missing values) or error (default: missing, unless a column has no others)")
	complete.With(cmd, "on-unseen", unseen.Missing, unseen.Error)
}

func (f *unseenFlag) check() error {
	if f.onUnseen == "" {
		return nil
	}
	return exit.OneOf("on-unseen", f.onUnseen, unseen.Missing, unseen.Error)
}

// reportUnseen looks at a whole table.
func (a *app) reportUnseen(t *dataset.Table, m unseen.Model, mode string, files ...string) error {
	notes, err := unseen.Whole(m, mode, t, files...)
	if err == nil {
		a.tell(notes)
	}
	return err
}
