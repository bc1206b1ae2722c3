package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/harness"
	"boost/booster"
	"boost/booster/preset"
	"boost/configs"
	"boost/dataset"
)

// study is what the command defaults is told.
type study struct {
	places
	peers   string
	efforts []string
	names   []string
	given   []string
	splits  int
	keep    bool
	check   bool
	outside bool // sets that are not those the defaults were chosen on
}

func defaultsCommand() *cobra.Command {
	var s study
	c := &cobra.Command{
		Use:   "defaults",
		Short: "Trains real sets by the defaults and compares loss and processor time with those of other trainers by theirs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.inputs(c, "", "")
	s.outputs(c, "benchmarks/results/defaults.json", "docs/defaults.md")
	f := c.Flags()
	f.StringVar(&s.peers, "peers", "benchmarks/defaults_peers.json", "the peers' results")
	f.StringSliceVar(&s.efforts, "efforts", []string{preset.Default, preset.Quick, preset.Best}, "efforts to train with")
	f.StringSliceVar(&s.names, "sets", nil, "only these sets")
	f.StringArrayVar(&s.given, "set", nil, "a setting to try, as section.key=value; repeatable")
	f.IntVar(&s.splits, "splits", 5, "splits of each set")
	f.BoolVar(&s.keep, "keep", false, "train only what the record lacks")
	f.BoolVar(&s.outside, "outside", false, "the sets are others than those that the defaults were chosen on: they need no reference.json, and the document has a section of its own for them")
	f.BoolVar(&s.check, "check", false, "train what the record has, write nothing, and fail where a loss is more than 1 % above the recorded one")
	return c
}

// worse is how far the loss of a set may be above the recorded one, as a factor: new versions round otherwise.
const worse = 1.01

// checkSets trains what the record has of the sets, and compares.
func (s *study) checkSets(cmd *cobra.Command, sets []*accuracy.Set) error {
	var record accuracy.DefaultsRecord
	if err := harness.Read(s.results, &record); err != nil {
		return err
	}
	var problems []error
	checked := 0
	err := s.each(cmd, sets, func(set *accuracy.Set, effort, split string) bool {
		_, known := record.Sets[set.Name][effort][split]
		return known
	}, func(set *accuracy.Set, effort, split string, result accuracy.DefaultsResult) error {
		known := record.Sets[set.Name][effort][split]
		checked++
		fmt.Fprintf(cmd.OutOrStdout(), "%-20s %-8s %s %12.6g, recorded %.6g\n", set.Name, effort, split, result.Loss, known.Loss)
		if !(result.Loss <= worse*known.Loss) {
			problems = append(problems, fmt.Errorf("%s, effort %s, split %s: loss %v is more than 1 %% above %v", set.Name, effort, split, result.Loss, known.Loss))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if checked == 0 {
		return fmt.Errorf("%s has none of these sets, efforts and splits: nothing was checked", s.results)
	}
	return errors.Join(problems...)
}

// run trains what is to be trained and writes the record, the tables and the picture.
func (s *study) run(cmd *cobra.Command) error {
	sets, err := s.studySets(s.names...)
	if err != nil {
		return err
	}
	if s.check {
		return s.checkSets(cmd, sets)
	}
	var record, peers accuracy.DefaultsRecord
	if err := harness.Read(s.peers, &peers); err != nil {
		return err
	}
	if s.keep || len(s.names) > 0 {
		if err := harness.Read(s.results, &record); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	record.Machine = harness.ThisMachine()
	err = s.each(cmd, inStudy(sets), func(set *accuracy.Set, effort, split string) bool {
		_, done := record.Sets[set.Name][effort][split]
		return !done || !s.keep
	}, func(set *accuracy.Set, effort, split string, result accuracy.DefaultsResult) error {
		record.Add(set.Name, effort, split, result)
		fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %-8s %s %12.6g %8.2f s %6d rounds\n", set.Name, effort, split, result.Loss, result.CPU, result.Rounds)
		return harness.Write(s.results, record)
	})
	if err != nil {
		return err
	}
	all, err := s.studySets()
	if err != nil {
		return err
	}
	tables := record.Tables(&peers, all, s.efforts)
	fmt.Fprint(cmd.OutOrStdout(), tables)
	if s.document == "" {
		return nil
	}
	if s.outside {
		return harness.ReplaceSection(s.document, "outside", tables)
	}
	picture := filepath.Join(filepath.Dir(s.document), "defaults.svg")
	if err := os.WriteFile(picture, []byte(record.Picture(&peers, all, s.efforts)), 0o666); err != nil {
		return err
	}
	return harness.ReplaceSection(s.document, "study", tables)
}

// studySets reads the sets, all of them or those of the names.
func (s *study) studySets(names ...string) ([]*accuracy.Set, error) {
	read := accuracy.Sets
	if s.outside {
		read = accuracy.SetsAlone
	}
	return read(s.data, names...)
}

// inStudy leaves sets of too few or too many rows out.
func inStudy(sets []*accuracy.Set) []*accuracy.Set {
	return slices.DeleteFunc(sets, func(set *accuracy.Set) bool { return !set.InStudy() })
}

// each trains every set, effort and split that is wanted, and hands over what comes of it.
func (s *study) each(cmd *cobra.Command, sets []*accuracy.Set, wanted func(set *accuracy.Set, effort, split string) bool, found func(set *accuracy.Set, effort, split string, result accuracy.DefaultsResult) error) error {
	for _, set := range sets {
		var table *dataset.Table
		for _, effort := range s.efforts {
			for split := range s.splits {
				key := strconv.Itoa(split)
				if !wanted(set, effort, key) {
					continue
				}
				if table == nil {
					var err error
					if table, err = set.Open(cmd.Context()); err != nil {
						return err
					}
				}
				result, err := set.TrainByDefaults(cmd.Context(), table, split, s.parameters(effort))
				if err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
				if err := found(set, effort, key, result); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// parameters returns what parameters an effort has for a table.
func (s *study) parameters(effort string) func(preset.Table) (booster.Params, error) {
	return func(t preset.Table) (booster.Params, error) {
		base := configs.Default()
		base.Effort = effort
		c, _, err := configs.Read(base, "", s.given)
		if err != nil {
			return booster.Params{}, err
		}
		err = c.SettleFor(t)
		return c.Params, err
	}
}
