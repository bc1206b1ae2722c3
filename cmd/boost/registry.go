package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/booster/trust"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/configs"
	"boost/internal/format"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

// registryClock tells a registry the time.
var registryClock = time.Now

// storeFlags say what a store of tensors, or a registry, goes by.
type storeFlags struct {
	config string
	sets   []string
}

// add gives the command the flags; otherwise says which config counts without --config.
func (s *storeFlags) add(cmd *cobra.Command, of, otherwise string) {
	cmd.Flags().StringVar(&s.config, "config", "", "config `FILE` with the keys of [registry]"+otherwise)
	cmd.Flags().StringArrayVar(&s.sets, "set", nil, "a setting of the "+of+", as `registry.key=value`; repeatable")
	var names []string
	for _, k := range configs.Keys() {
		if k.Section() == "registry" {
			names = append(names, k.Name)
		}
	}
	complete.WithKeys(cmd, names)
}

// addRegistry is add for a registry.
func (s *storeFlags) addRegistry(cmd *cobra.Command) {
	s.add(cmd, "registry", " (default: DIR/registry.toml, if it exists)")
}

// read returns the settings of a config file, "" for none, and of the flags.
func (s *storeFlags) read(a *app, file string) (store.Config, error) {
	for _, set := range s.sets {
		if name, _, _ := strings.Cut(set, "="); !strings.HasPrefix(strings.TrimSpace(name), "registry.") {
			return store.Config{}, exit.Usagef("--set %s cannot be used here: this command takes keys of [registry]", strings.TrimSpace(name))
		}
	}
	c, notes, err := configs.Read(configs.Default(), file, s.sets)
	a.tell(notes)
	if err != nil {
		return store.Config{}, err
	}
	return c.Registry, nil
}

// readRegistry returns the settings of the registry of a folder.
func (s *storeFlags) readRegistry(a *app, dir string) (store.Config, error) {
	file := s.config
	if own := filepath.Join(dir, regdir.Config); file == "" {
		if _, err := os.Stat(own); err == nil {
			file = own
		}
	}
	c, err := s.read(a, file)
	if err != nil {
		return c, err
	}
	if _, err := registry.Config(c); err != nil {
		return c, exit.Usagef("%v", err)
	}
	return c, nil
}

func (a *app) registryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "registry COMMAND",
		Short: "Keep many models in one folder, rarely used ones in few bits",
		Long: `Keep many models in one folder and under one cap of memory. What a model predicts
depends on how much it is used: a hot one is read as it was added, a warm one with leaves of
7 or 5 bits, a cold one of 3. A model that nobody uses may keep no leaves at all: if a rule says
how, it is made again from another model.
No model becomes worse than its floor allows.

boost predict and boost eval take DIR#ID as a MODEL.`,
	}
	return usage.Commands(cmd, a.registryAddCommand(), a.registryGetCommand(), a.registryListCommand(), a.registryPinCommand(), a.registryUnpinCommand(),
		a.registryRemoveCommand(), a.registryStatsCommand(), a.registryCompactCommand(), a.registryRepairCommand())
}

// openRegistry opens the registry of a folder.
func (a *app) openRegistry(dir string, s *storeFlags, how int) (*registry.Registry, error) {
	c, err := s.readRegistry(a, dir)
	if err != nil {
		return nil, err
	}
	if err := regdir.Check(dir, how == regdir.Creates); err != nil {
		return nil, err
	}
	r, err := registry.Open(dir, c, registry.Options{Clock: registryClock, ReadOnly: how == regdir.Reads})
	if err != nil {
		return nil, regdir.Fault(dir, err)
	}
	return r, nil
}

// sweepRegistry moves models to where their use calls for, as the last thing that a command does. What
// goes wrong then does not undo what the command did.
func (a *app) sweepRegistry(r *registry.Registry, dir string) {
	report, err := r.Sweep()
	switch {
	case errors.Is(err, registry.ErrReadOnly):
		return
	case err != nil:
		a.log.Warn(fmt.Sprintf("%s: models were not moved: %v", dir, err))
	}
	for _, failure := range report.Failures {
		a.log.Warn(fmt.Sprintf("%s: a model was not moved: %v", dir, failure))
	}
	a.tellShort(dir, report.Short)
}

func (a *app) tellShort(dir string, short int64) {
	if short > 0 {
		a.log.Warn(fmt.Sprintf("%s: registry.memory_cap is %s too small to hold all models at their floors: no model gets worse, those that do not fit are read from the disk", dir, format.Bytes(short)))
	}
}

// closeRegistry closes a registry, and keeps the first error.
func closeRegistry(r *registry.Registry, err *error) {
	if closing := r.Close(); *err == nil {
		*err = closing
	}
}

// countUse counts the use of a model that was read, and moves models, as the last thing that a command does.
// Where that cannot be written, as in a folder that is read-only, on a full disk or beside another process, the use
// is not counted.
func (a *app) countUse(r *registry.Registry, dir, id string) {
	w, err := registry.Open(dir, r.Config(), registry.Options{Clock: registryClock, Intact: true})
	if err == nil {
		if err = w.Touch(id); err == nil {
			a.sweepRegistry(w, dir)
		}
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		a.log.Debug(fmt.Sprintf("%s: this use is not counted: %v", dir, err))
	}
}

// openRegistered opens a model of a registry for predictions, in the form that it is in. Compact
// leaves the trees packed of one whose form is a compressed model.
func (a *app) openRegistered(dir, id string, compact bool) (m evaluation.Model, err error) {
	r, err := a.openRegistry(dir, &storeFlags{}, regdir.Reads)
	if err != nil {
		return nil, err
	}
	defer closeRegistry(r, &err)
	reading, err := r.Get(id)
	if err != nil {
		return nil, regdir.Fault(dir, err)
	}
	if !reading.Exact {
		a.log.Info(fmt.Sprintf("%s in %s is %v: raw scores may be off by %s", format.OneLine(id), dir, reading.Tier, format.SixDigits(largestOf(reading.Scores))))
	}
	if trusting, ok := reading.Model.(interface{ Trust() *trust.Trust }); ok && !reading.Exact && trusting.Trust() != nil {
		a.log.Warn(fmt.Sprintf("%s was calibrated in the form in which it was added: in this one intervals may cover another share of the rows", format.OneLine(id)))
	}
	a.countUse(r, dir, id)
	if c, ok := reading.Model.(*model.Compact); ok && compact {
		return &heldCompact{c, c.Hold()}, nil
	}
	full, err := reading.Expand()
	if err != nil {
		return nil, regdir.Fault(dir, err)
	}
	return full, nil
}

// largestOf returns a number that is 0 or more.
func largestOf(values []float64) float64 { return slices.Max(append([]float64{0}, values...)) }

// withRegistry opens a registry, and does with it what a command is for.
func (a *app) withRegistry(dir string, s *storeFlags, how int, do func(r *registry.Registry) error) (err error) {
	r, err := a.openRegistry(dir, s, how)
	if err != nil {
		return err
	}
	defer closeRegistry(r, &err)
	return regdir.Fault(dir, do(r))
}

// registryIDs completes DIR and then the ids of its models.
func (a *app) registryIDs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	r, err := registry.Open(args[0], store.DefaultConfig(), registry.Options{Clock: registryClock, ReadOnly: true})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer r.Close()
	return r.IDs(), cobra.ShellCompDirectiveNoFileComp
}

// parseTier reads the value of --tier.
func parseTier(name string) (store.Tier, error) {
	if err := exit.OneOf("tier", name, registryTiers...); err != nil {
		return store.Absent, err
	}
	return store.ParseTier(name)
}

// registryTiers are the tiers that a model can be put in.
var registryTiers = []string{"hot", "warm", "cold"}
