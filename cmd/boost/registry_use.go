package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/internal/format"
	"boost/internal/report"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// registryUse completes a command that opens the registry of its first argument, and does something with it.
func (a *app) registryUse(cmd *cobra.Command, how int, do func(r *registry.Registry, args []string) error) *cobra.Command {
	var s storeFlags
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return a.withRegistry(args[0], &s, how, func(r *registry.Registry) error { return do(r, args) })
	}
	s.addRegistry(cmd)
	return cmd
}

func (a *app) registryGetCommand() *cobra.Command {
	var output string
	var full bool
	cmd := a.registryUse(&cobra.Command{
		Use:   "get DIR ID -o OUT",
		Short: "Write a model of a registry to a file",
		Long: `Write a model to a .boost file in its present form: a hot or absent model as it was added, a warm
or cold one as a compressed model with the certificate of its tier. --full writes the bytes that
were added, whatever the tier.`,
		Example: `  boost registry get models price-2024 -o price.boost
  boost registry get models price-2024 --full -o price.boost`,
		Args:              usage.Arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.checkOutput(cmd, output, nil) },
	}, regdir.Reads, func(r *registry.Registry, args []string) error {
		reading, err := r.Get(args[1])
		if err != nil {
			return err
		}
		take := reading.Expand
		if full || reading.Exact {
			take = func() (*model.Model, error) { return r.Full(args[1]) }
		}
		m, err := take()
		if full && errors.Is(err, registry.ErrNoSource) {
			return fmt.Errorf("%w: leave --full out to get it in its tier", err)
		}
		if err != nil {
			return err
		}
		if err := a.saveModel(m, output); err != nil {
			return err
		}
		if !full && !reading.Exact {
			said := fmt.Sprintf("%s is %v: raw scores may be off by %s", format.OneLine(args[1]), reading.Tier, format.SixDigits(largestOf(reading.Scores)))
			if info, err := r.Info(args[1]); err == nil && info.Source != "" {
				said += " (--full gives it as it was added)"
			}
			a.log.Info(said)
		}
		a.countUse(r, args[0], args[1])
		return nil
	})
	cmd.Flags().StringVarP(&output, "output", "o", "", "model `FILE` to write")
	cmd.Flags().BoolVar(&full, "full", false, "write the model as it was added")
	return cmd
}

func (a *app) registryListCommand() *cobra.Command {
	var asJSON bool
	cmd := a.registryUse(&cobra.Command{
		Use:     "list DIR",
		Short:   "List the models of a registry",
		Example: `  boost registry list models --json`,
		Args:    usage.Arguments("DIR"),
	}, regdir.Reads, func(r *registry.Registry, _ []string) error {
		all, err := r.List()
		if err != nil {
			return err
		}
		list := make([]report.RegistryEntry, len(all))
		for i := range all {
			list[i] = report.NewRegistryEntry(&all[i])
		}
		return a.answer(asJSON, list, func(w io.Writer) error { return report.RegistryModels(w, all) })
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) registryPinCommand() *cobra.Command {
	var name string
	var tier store.Tier
	cmd := a.registryUse(&cobra.Command{
		Use:   "pin DIR ID",
		Short: "Keep a model in a tier",
		Long: `Move a model to a tier and keep it there whatever its use; it leaves the memory last. A tier below
the model's floor is refused.`,
		Example:           `  boost registry pin models price-2024 --tier hot`,
		Args:              usage.Arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
		PreRunE: func(*cobra.Command, []string) (err error) {
			tier, err = parseTier(name)
			return err
		},
	}, regdir.Writes, func(r *registry.Registry, args []string) error {
		if err := r.Pin(args[1], tier); err != nil {
			return err
		}
		a.log.Info(fmt.Sprintf("%s stays %v", format.OneLine(args[1]), tier))
		return nil
	})
	cmd.Flags().StringVar(&name, "tier", "hot", "`TIER` to keep it in: hot, warm or cold")
	complete.With(cmd, "tier", registryTiers...)
	return cmd
}

func (a *app) registryUnpinCommand() *cobra.Command {
	return a.registryUse(&cobra.Command{
		Use:               "unpin DIR ID",
		Short:             "Let the use of a model decide its tier again",
		Example:           `  boost registry unpin models price-2024`,
		Args:              usage.Arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
	}, regdir.Writes, func(r *registry.Registry, args []string) error {
		if err := r.Unpin(args[1]); err != nil {
			return err
		}
		a.log.Info(format.OneLine(args[1]) + "'s use decides its tier again")
		return nil
	})
}

func (a *app) registryRemoveCommand() *cobra.Command {
	return a.registryUse(&cobra.Command{
		Use:               "remove DIR ID",
		Short:             "Remove a model from a registry",
		Long:              `Remove a model. A model that others are based on is refused until these are removed.`,
		Example:           `  boost registry remove models price-2023`,
		Args:              usage.Arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
	}, regdir.Writes, func(r *registry.Registry, args []string) error {
		if err := r.Remove(args[1]); err != nil {
			return err
		}
		a.log.Info(format.OneLine(args[1]) + " was removed")
		return nil
	})
}

func (a *app) registryStatsCommand() *cobra.Command {
	var asJSON bool
	cmd := a.registryUse(&cobra.Command{
		Use:     "stats DIR",
		Short:   "Print the models by tier, and the bytes that they take",
		Example: `  boost registry stats models`,
		Args:    usage.Arguments("DIR"),
	}, regdir.Reads, func(r *registry.Registry, args []string) error {
		stats := r.Stats()
		a.tellShort(args[0], stats.Short)
		return a.answer(asJSON, report.NewRegistrySums(&stats), func(w io.Writer) error { return report.RegistryStats(w, &stats) })
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) registryCompactCommand() *cobra.Command {
	return a.registryUse(&cobra.Command{
		Use:   "compact DIR",
		Short: "Move models to the tiers of their use, and rewrite the files",
		Long: `Move models to the tiers of their use, unless that was done within registry.sweep_interval, check
every record, and rewrite the files without what was removed. The other commands do all but the
check from time to time.`,
		Example: `  boost registry compact models`,
		Args:    usage.Arguments("DIR"),
	}, regdir.Writes, func(r *registry.Registry, args []string) error {
		if err := r.Verify(); err != nil {
			return err
		}
		before := r.Stats().Disk
		a.sweepRegistry(r, args[0])
		if err := r.Compact(); err != nil {
			return err
		}
		a.log.Info(fmt.Sprintf("%s has %s on the disk, before %s", args[0], format.Bytes(r.Stats().Disk), format.Bytes(before)))
		return nil
	})
}
