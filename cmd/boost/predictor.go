package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/regdir"
	"boost/internal/format"
)

// loadModes are the ways to load a model for predictions.
var loadModes = []string{loadFast, loadCompact}

const (
	loadFast    = "fast"
	loadCompact = "compact"
)

// loading is the flag that says how a model is loaded.
type loading struct{ load string }

func (l *loading) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.load, "load", loadFast, "`HOW` to load a compressed model: fast, or compact with little memory")
	complete.With(cmd, "load", loadModes...)
}

func (l *loading) check() error { return exit.OneOf("load", l.load, loadModes...) }

// refuse is the error about a flag that needs all trees at once.
func (l *loading) refuse(flag string, given bool) error {
	if given && l.load == loadCompact {
		return exit.Usagef("%s needs all trees at once, and --load compact reads them one at a time: leave one of them out", flag)
	}
	return nil
}

// open loads the MODEL of a command line: a file, or DIR#ID of a registry, in the form that it is in.
func (l *loading) open(a *app, file string) (evaluation.Model, error) {
	if dir, id, ok := regdir.Cut(file); ok {
		return a.openRegistered(dir, id, l.load == loadCompact)
	}
	if l.load != loadCompact {
		m, err := model.Load(file)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	c, err := model.LoadCompact(file)
	if errors.Is(err, model.ErrNotCompressed) {
		if m, err := model.Load(file); err == nil && m.Compressed() != nil && !m.HasLinear() {
			written := strings.TrimSuffix(file, ".json") + ".boost"
			return nil, exit.Usagef("--load compact is for model files, and %s is in JSON: leave the flag out, or write a model file from it: boost convert %s %s",
				file, format.Pasted(file), format.Pasted(written))
		}
		return nil, exit.Usagef("--load compact is for compressed models with constant leaves, and %s is a full one or has linear leaves: leave the flag out", file)
	}
	if err != nil {
		return nil, err
	}
	return &heldCompact{c, c.Hold()}, nil
}

// heldCompact is a Compact that serves the whole run.
type heldCompact struct {
	*model.Compact
	release func()
}
