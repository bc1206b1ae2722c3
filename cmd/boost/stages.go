package main

import (
	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/booster/trust"
)

// stages are the flags that say which rounds of a model are looked at.
type stages struct {
	rounds  int
	limited bool // --rounds was given
	every   int  // 0: only after the last round
	staged  bool // --staged was given
}

// add gives the command the flags; what is what it gives after every N rounds.
func (s *stages) add(cmd *cobra.Command, what string) {
	cmd.Flags().IntVar(&s.rounds, "rounds", 0, "use only the first `K` rounds (default: all)")
	cmd.Flags().IntVar(&s.every, "staged", 0, what+" after every `N` rounds, and after the last")
}

// given takes note of which flags were.
func (s *stages) given(cmd *cobra.Command) {
	s.limited, s.staged = cmd.Flags().Changed("rounds"), cmd.Flags().Changed("staged")
}

func (s *stages) check() error {
	if s.staged && s.every < 1 {
		return usagef("--staged must be 1 or more rounds, not %d", s.every)
	}
	return nil
}

// fit refuses more rounds than the model has.
func (s *stages) fit(m predictor, file string) error {
	if s.limited && (s.rounds < 0 || s.rounds > m.Rounds()) {
		return usagef("--rounds must be 0 … %d, the rounds of %s, not %d", m.Rounds(), file, s.rounds)
	}
	return nil
}

// fitTrust refuses what the model was not calibrated for, of kinds of predictions.
func (s *stages) fitTrust(m predictor, file string, kinds ...string) error {
	t, flag := m.Trust(), "--rounds"
	switch {
	case s.every > 0:
		flag = "--staged"
	case !s.limited || s.rounds == m.Rounds():
		return nil
	}
	for _, kind := range kinds {
		if flag == "--staged" && t.ChangesValues() || usesTrust(t, kind) {
			return usagef("%s: %s is calibrated for all its %d rounds, and not for fewer: leave the flag out", flag, file, m.Rounds())
		}
	}
	return nil
}

// usesTrust reports whether a kind of prediction follows from what calibrate found.
func usesTrust(t *trust.Trust, kind string) bool {
	switch kind {
	case "value":
		return t != nil && t.Calibration != nil
	case "class":
		return t.ChangesValues()
	}
	return kind == "interval"
}

// options are those of a prediction.
func (s *stages) options() []model.Option {
	if !s.limited {
		return nil
	}
	return []model.Option{model.Rounds(s.rounds)}
}

// trees returns how many trees are looked at.
func (s *stages) trees(m predictor) int {
	if s.limited {
		return s.rounds * m.Outputs()
	}
	return m.NumTrees()
}
