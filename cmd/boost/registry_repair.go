package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"boost/internal/format"
	"boost/ptq/compress/registry"
)

func (a *app) registryRepairCommand() *cobra.Command {
	var s storeFlags
	cmd := &cobra.Command{
		Use:   "repair DIR",
		Short: "Salvage what is whole of a damaged registry",
		Long: `Write the logs of a damaged registry anew from all records that are whole, those behind the
damage too. A model that has lost its tensor is made again from its file. What is lost is
reported; the old files are kept beside the new ones, with names that end in .old. A registry without damage stays as it is.`,
		Example: `  boost registry repair models`,
		Args:    arguments("DIR"),
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
	if err := checkRegistry(dir, false); err != nil {
		return err
	}
	done, err := registry.Repair(ctx, dir, c, registry.Options{Clock: registryClock})
	if err != nil {
		return ofRegistry(dir, err)
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
	a.log.Info("the old files are kept, remove them when nothing is missing: " + strings.Join(kept, ", "))
	if len(done.Lost) == 0 {
		a.log.Info(dir + " was repaired: no model is lost")
	} else {
		a.log.Warn(fmt.Sprintf("%s was repaired: add again what is lost, from copies", dir))
	}
	return nil
}
