package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/internal/format"
	"boost/ptq/compress/registry"
)

func (a *app) registryRepairCommand() *cobra.Command {
	var s storeFlags
	cmd := &cobra.Command{
		Use:   "repair DIR",
		Short: "Salvage the whole records of a damaged registry",
		Long: `Rewrite the files of a damaged registry from all whole records, also those after the damage. A
lost tensor is made again from the model's file. Lost models are reported. The old files stay
beside the new ones, with names that end in .old. A registry without damage is not changed.`,
		Example: `  boost registry repair models`,
		Args:    usage.Arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.registryRepair(cmd.Context(), args[0], &s)
		},
	}
	s.addRegistry(cmd)
	return cmd
}

func (a *app) registryRepair(ctx context.Context, dir string, s *storeFlags) error {
	c, err := s.readRegistry(a, dir)
	if err != nil {
		return err
	}
	if err := regdir.Check(dir, false); err != nil {
		return err
	}
	done, err := registry.Repair(ctx, dir, c, registry.Options{Clock: registryClock})
	if err != nil {
		return regdir.Fault(dir, err)
	}
	if done.Damage == nil {
		a.log.Info(dir + " has no damage: nothing was changed")
		return nil
	}
	a.log.Info(fmt.Sprintf("the damage was: %v", done.Damage))
	var kept []string
	for _, l := range done.Logs {
		kept = append(kept, l.Kept...)
		for _, g := range l.Gaps {
			a.log.Info(fmt.Sprintf("%s: bytes %d to %d hold no whole record", g.File, g.From, g.To))
		}
	}
	for _, m := range done.Made {
		a.log.Info(fmt.Sprintf("model %s: %s", format.OneLine(m.ID), m.Text))
	}
	for _, m := range done.Lost {
		text := m.Text
		if text == "" {
			text = "it is lost"
		}
		a.log.Warn(fmt.Sprintf("model %s: %s", format.OneLine(m.ID), text))
	}
	a.log.Info("the old files are kept; delete them when nothing is missing: " + strings.Join(kept, ", "))
	if len(done.Lost) == 0 {
		a.log.Info(dir + " was repaired: no model is lost")
	} else {
		a.log.Warn(fmt.Sprintf("%s was repaired: add the lost models again, from copies", dir))
	}
	return nil
}
