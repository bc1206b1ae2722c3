package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/internal/format"
	"boost/internal/report"
	"boost/ptq/compress"
	"boost/ptq/compress/registry"
)

// registryAddFlags is the command line of registry add.
type registryAddFlags struct {
	unseenFlag
	storeFlags
	id       string
	tier     string
	maxDelta string
	maxLoss  string
	data     string
	base     string
	train    bool
	noSource bool
	json     bool
}

func (a *app) registryAddCommand() *cobra.Command {
	var f registryAddFlags
	cmd := &cobra.Command{
		Use:   "add DIR MODEL",
		Short: "Add a model to a registry",
		Long: `Add a model to the registry in a folder, which is created if needed. The model starts hot.

A floor limits how much worse the model may become while it is rarely used: --max-delta is the
largest change of a raw score (0 allows none), --max-loss the largest relative loss of the metric
on --data. A tier that would break the floor is not used. A model that was compressed with a
certificate loses nothing more unless a floor is given.

--base ID stores only the difference from that model: nothing for its first rounds, the new rounds,
or the changed leaf values.`,
		Example: `  boost registry add models price.boost --id price-2024 --max-loss 0.1% --data valid.csv
  boost registry add models price80.boost --base price-2024`,
		Args: usage.Arguments("DIR", "MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.registryAdd(cmd.Context(), args[0], args[1], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.id, "id", "", "`ID` of the model (default: the name of the file without its ending)")
	flags.StringVar(&f.tier, "tier", "hot", "`TIER` to start in: hot, warm or cold")
	flags.StringVar(&f.maxDelta, "max-delta", "", "floor: raw scores change by no more than `X`")
	flags.StringVar(&f.maxLoss, "max-loss", "", "floor: the metric gets worse by no more than `SHARE`, such as 0.1% or 0.001; needs --data")
	flags.StringVar(&f.data, "data", "", "`TABLE` with labels, to measure the loss of each tier")
	flags.BoolVar(&f.train, "allow-train-data", false, "accept the training rows as --data")
	flags.StringVar(&f.base, "base", "", "`ID` of a model that this one shares its first rounds or its trees with")
	flags.BoolVar(&f.noSource, "no-source", false, "keep no lossless form: the model stays in its tier")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.unseenFlag.add(cmd)
	f.storeFlags.addRegistry(cmd)
	complete.With(cmd, "tier", registryTiers...)
	return cmd
}

// floor reads the flags of the floor; nil: none was given.
func (f *registryAddFlags) floor() (*registry.Floor, error) {
	if f.maxDelta == "" && f.maxLoss == "" {
		return nil, nil
	}
	floor := registry.NoFloor
	if f.maxDelta != "" {
		x, err := strconv.ParseFloat(f.maxDelta, 64)
		if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
			return nil, exit.Usagef("--max-delta must be a number of 0 or more, not %q", f.maxDelta)
		}
		floor.MaxDelta = x
	}
	if f.maxLoss != "" {
		x, err := configs.ParseShare(f.maxLoss)
		if err != nil || x < 0 {
			return nil, exit.Usagef("--max-loss must be a share of 0 or more, such as 0.1%% or 0.001, not %q", f.maxLoss)
		}
		if f.data == "" {
			return nil, exit.Usagef("--max-loss needs labelled rows to measure the loss: pass them with --data TABLE")
		}
		floor.MaxLoss = x
	}
	return &floor, nil
}

func (a *app) registryAdd(ctx context.Context, dir, file string, f *registryAddFlags) error {
	if err := f.unseenFlag.check(); err != nil {
		return err
	}
	floor, err := f.floor()
	if err != nil {
		return err
	}
	tier, err := parseTier(f.tier)
	if err != nil {
		return err
	}
	if f.noSource && f.base != "" {
		return exit.Usagef("--base keeps the lossless model and --no-source does not: give one of them")
	}
	if f.train && f.data == "" {
		return exit.Usagef("--allow-train-data needs --data")
	}
	m, err := regdir.Load(file)
	if err != nil {
		return err
	}
	id := f.id
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if err := registry.CheckID(id); err != nil {
		return exit.Usagef("%v: give another one with --id", err)
	}
	o := registry.AddOptions{Tier: tier, Floor: floor, DropSource: f.noSource, AllowTrainingData: f.train}
	if f.data != "" {
		if o.Table, _, err = a.openCompared(ctx, [2]*model.Model{m, m}, f.data, &compareFlags{unseenFlag: f.unseenFlag}); err != nil {
			return err
		}
		if err := needLabel(o.Table, f.data, m.Schema()); err != nil {
			return err
		}
		pool := a.pool(0)
		defer pool.Close()
		o.Options = []compress.Option{compress.Pool(pool)}
	}
	return a.withRegistry(dir, &f.storeFlags, regdir.Creates, func(r *registry.Registry) error {
		if f.base != "" {
			if o.Rule, err = r.FindRule(f.base, m); err != nil {
				return err
			}
		}
		if err := r.Add(ctx, id, m, o); err != nil {
			return err
		}
		info, err := r.Info(id)
		if err != nil {
			return err
		}
		a.tellShort(dir, r.Stats().Short) // a sweep would move it out of its tier, as it is new and thus used
		if f.json {
			return a.writeOutput("", func(w *bufio.Writer) error { return format.JSON(w, report.NewRegistryEntry(&info)) })
		}
		a.log.Info(fmt.Sprintf("%s was added to %s as %s", file, dir, format.OneLine(id)), "tier", info.Tier.String(), "bytes", info.Stored, "source", report.RegistrySource(&info))
		return nil
	})
}
