package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/internal/format"
	"boost/ptq/compress/registry"
	"boost/tensorq/store"
)

func (a *app) registryGetCommand() *cobra.Command {
	var s registrySettings
	var output string
	var full bool
	cmd := &cobra.Command{
		Use:   "get DIR ID -o OUT",
		Short: "Write a model of a registry to a file",
		Long: `Write a model to a .boost file, in the form that it is in: a hot or absent model as it was
added, a warm or cold one as a compressed model with the certificate of its tier. With --full
as it was added, the same bytes, whatever its tier.`,
		Example: `  boost registry get models price-2024 -o price.boost
  boost registry get models price-2024 --full -o price.boost`,
		Args:              arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkOutput(cmd, output, nil); err != nil {
				return err
			}
			return a.withRegistry(args[0], &s, registryCounts, func(r *registry.Registry) error {
				reading, err := r.Get(args[1])
				if err != nil {
					return err
				}
				take := reading.Expand
				if full || reading.Exact {
					take = func() (*model.Model, error) { return r.Full(args[1]) }
				}
				m, err := take()
				if err != nil {
					return err
				}
				if err := a.saveModel(m, output); err != nil {
					return err
				}
				if !full && !reading.Exact {
					a.log.Info(fmt.Sprintf("%s is %v: raw scores may be off by %s (--full gives it as it was added)", format.OneLine(args[1]), reading.Tier, format.SixDigits(largestOf(reading.Scores))))
				}
				a.sweepRegistry(r, args[0])
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "model `FILE` to write")
	cmd.Flags().BoolVar(&full, "full", false, "the model as it was added")
	s.add(cmd)
	return cmd
}

func (a *app) registryListCommand() *cobra.Command {
	var s registrySettings
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list DIR",
		Short:   "List the models of a registry",
		Example: `  boost registry list models --json`,
		Args:    arguments("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRegistry(args[0], &s, registryReads, func(r *registry.Registry) error {
				all, err := r.List()
				if err != nil {
					return err
				}
				return a.writeOutput("", func(w *bufio.Writer) error {
					if asJSON {
						list := make([]registryInfo, len(all))
						for i := range all {
							list[i] = registryInfoJSON(&all[i])
						}
						return format.JSON(w, list)
					}
					return writeRegistryList(w, all)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.add(cmd)
	return cmd
}

func (a *app) registryPinCommand() *cobra.Command {
	var s registrySettings
	var name string
	cmd := &cobra.Command{
		Use:   "pin DIR ID",
		Short: "Keep a model in a tier",
		Long: `Move a model to a tier and keep it there whatever its use, and in memory as long as others
can go. A tier below the model's floor is refused.`,
		Example:           `  boost registry pin models price-2024 --tier hot`,
		Args:              arguments("DIR", "ID"),
		ValidArgsFunction: a.registryIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			tier, err := parseTier(name)
			if err != nil {
				return err
			}
			return a.withRegistry(args[0], &s, registryWrites, func(r *registry.Registry) error {
				if err := r.Pin(args[1], tier); err != nil {
					return err
				}
				a.log.Info(fmt.Sprintf("%s stays %v", format.OneLine(args[1]), tier))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "tier", "hot", "`TIER` to keep it in: hot, warm or cold")
	offer(cmd, "tier", registryTiers...)
	s.add(cmd)
	return cmd
}

func (a *app) registryUnpinCommand() *cobra.Command {
	return a.registryModelCommand(&cobra.Command{
		Use:     "unpin DIR ID",
		Short:   "Let a model go where its use moves it",
		Example: `  boost registry unpin models price-2024`,
	}, func(r *registry.Registry, id string) error {
		if err := r.Unpin(id); err != nil {
			return err
		}
		a.log.Info(format.OneLine(id) + " goes where its use moves it")
		return nil
	})
}

func (a *app) registryRemoveCommand() *cobra.Command {
	return a.registryModelCommand(&cobra.Command{
		Use:     "remove DIR ID",
		Short:   "Remove a model from a registry",
		Long:    `Remove a model. One that others are made of is needed, and stays until these are gone.`,
		Example: `  boost registry remove models price-2023`,
	}, func(r *registry.Registry, id string) error {
		if err := r.Remove(id); err != nil {
			return err
		}
		a.log.Info(format.OneLine(id) + " was removed")
		return nil
	})
}

// registryModelCommand completes a command that does something with one model.
func (a *app) registryModelCommand(cmd *cobra.Command, do func(r *registry.Registry, id string) error) *cobra.Command {
	var s registrySettings
	cmd.Args = arguments("DIR", "ID")
	cmd.ValidArgsFunction = a.registryIDs
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return a.withRegistry(args[0], &s, registryWrites, func(r *registry.Registry) error { return do(r, args[1]) })
	}
	s.add(cmd)
	return cmd
}

func (a *app) registryStatsCommand() *cobra.Command {
	var s registrySettings
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "stats DIR",
		Short:   "Say how many models are in which tier, and what they take",
		Example: `  boost registry stats models`,
		Args:    arguments("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRegistry(args[0], &s, registryReads, func(r *registry.Registry) error {
				stats := r.Stats()
				a.tellShort(args[0], stats.Short)
				return a.writeOutput("", func(w *bufio.Writer) error {
					if asJSON {
						return format.JSON(w, registryStatsJSON(&stats))
					}
					return writeRegistryStats(w, &stats)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.add(cmd)
	return cmd
}

func (a *app) registryCompactCommand() *cobra.Command {
	var s registrySettings
	cmd := &cobra.Command{
		Use:   "compact DIR",
		Short: "Move models to where their use calls for, and write the files anew",
		Long: `Move models to the tiers that their use calls for, if that was not done within
registry.sweep_interval, check every record, and write the files anew without what is no
longer there. The other commands do all but the check by themselves, now and then.`,
		Example: `  boost registry compact models`,
		Args:    arguments("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRegistry(args[0], &s, registryWrites, func(r *registry.Registry) error {
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
		},
	}
	s.add(cmd)
	return cmd
}

// registryInfo is a model as --json prints it.
type registryInfo struct {
	ID           string                 `json:"id"`
	SHA256       string                 `json:"sha256"`
	Rounds       int                    `json:"rounds"`
	Outputs      int                    `json:"outputs"`
	Trees        int                    `json:"trees"`
	Leaves       int                    `json:"leaves"`
	FileBytes    int64                  `json:"file_bytes"`
	Stored       int64                  `json:"stored_bytes"`
	Tier         string                 `json:"tier"`
	Bits         int                    `json:"bits"`
	Exact        bool                   `json:"exact"`
	MaxDelta     *float64               `json:"max_delta"` // of the form that it is in
	Pinned       bool                   `json:"pinned"`
	Score        uint64                 `json:"score"`
	Accesses     uint64                 `json:"accesses"`
	Created      string                 `json:"created"`
	LastAccess   string                 `json:"last_access"`
	FloorDelta   *float64               `json:"floor_max_delta"`
	FloorLoss    *float64               `json:"floor_max_loss"`
	MinBits      *int                   `json:"min_bits"` // null: it is read as it was added
	Source       string                 `json:"source"`
	Of           string                 `json:"of,omitempty"`
	Discard      bool                   `json:"discard"`
	Certificates []registry.Certificate `json:"certificates"`
}

func registryInfoJSON(i *registry.Info) registryInfo {
	out := registryInfo{
		ID: i.ID, SHA256: i.SHA256, Rounds: i.Rounds, Outputs: i.Outputs, Trees: i.Trees, Leaves: i.Leaves, FileBytes: i.FileBytes, Stored: i.Stored,
		Tier: i.Tier.String(), Bits: i.Bits, Exact: i.Exact, MaxDelta: format.Finite(i.Delta), Pinned: i.Pinned, Score: i.Score, Accesses: i.Accesses,
		Created: i.Created.UTC().Format(time.RFC3339), LastAccess: i.LastAccess.UTC().Format(time.RFC3339),
		FloorDelta: format.Finite(i.Floor.MaxDelta), FloorLoss: format.Finite(i.Floor.MaxLoss), Source: i.Source, Of: i.Of, Discard: i.Discard, Certificates: i.Certificates,
	}
	if i.MinBits <= 8 {
		out.MinBits = &i.MinBits
	}
	return out
}

// sourceText says where a model's lossless form comes from.
func sourceText(i *registry.Info) string {
	switch {
	case i.Source == "":
		return "none"
	case i.Of != "":
		return i.Source + " of " + format.OneLine(i.Of)
	}
	return i.Source
}

func writeRegistryList(w io.Writer, all []registry.Info) error {
	rows := [][]string{{"id", "tier", "leaves", "off by", "floor", "trees", "bytes", "source", "uses"}}
	for k := range all {
		i := &all[k]
		tier, bits, off := i.Tier.String(), strconv.Itoa(i.Bits)+" bits", format.SixDigits(i.Delta)
		if i.Exact {
			bits, off = "exact", "0"
		} else if i.Tier == store.Absent {
			bits, off = "none", "gone"
		}
		if i.Pinned {
			tier += ", pinned"
		}
		floor := "none"
		switch {
		case i.MinBits > 8:
			floor = "exact"
		case !math.IsInf(i.Floor.MaxDelta, 1) || !math.IsInf(i.Floor.MaxLoss, 1):
			floor = strconv.Itoa(i.MinBits) + " bits"
		}
		rows = append(rows, []string{format.OneLine(i.ID), tier, bits, off, floor, format.Count(i.Trees), format.Count(int(i.Stored)), sourceText(i), format.Count(int(min(i.Accesses, math.MaxInt32)))})
	}
	return format.Table(w, rows, "lllrlrrlr")
}

// registryStats are the sums as --json prints them.
type registryStats struct {
	Models  map[string]int `json:"models"`
	Narrow  int            `json:"narrowed"`
	Cap     int64          `json:"memory_cap"`
	Floors  int64          `json:"floor_bytes"`
	Short   int64          `json:"short_bytes"`
	Warm    int64          `json:"warm_bytes"`
	OverCap int64          `json:"warm_over_cap_bytes"`
	Live    int64          `json:"live_bytes"`
	Disk    int64          `json:"disk_bytes"`
}

func registryStatsJSON(s *registry.Stats) registryStats {
	out := registryStats{
		Models: map[string]int{}, Narrow: s.Tensors.Narrow, Cap: s.Cap, Floors: s.Floors, Short: s.Short,
		Warm: s.Tensors.Warm, OverCap: s.Tensors.OverCap, Live: s.Live, Disk: s.Disk,
	}
	for _, t := range []store.Tier{store.Hot, store.Warm, store.Cold, store.Absent} {
		out.Models[t.String()] = s.Models[t]
	}
	return out
}

func writeRegistryStats(w io.Writer, s *registry.Stats) error {
	var rows [][]string
	for _, t := range []store.Tier{store.Hot, store.Warm, store.Cold, store.Absent} {
		rows = append(rows, []string{t.String(), format.Count(s.Models[t])})
	}
	limit := "no limit"
	if s.Cap > 0 {
		limit = format.Bytes(s.Cap)
	}
	rows = append(rows, []string{"cap of memory", limit}, []string{"all models at their floors", format.Bytes(s.Floors)})
	if s.Tensors.OverCap > 0 {
		rows = append(rows, []string{"warm leaves over their cap", format.Bytes(s.Tensors.OverCap)})
	}
	rows = append(rows, []string{"records", format.Bytes(s.Live)}, []string{"files", format.Bytes(s.Disk)})
	return format.Table(w, rows, "lr")
}
