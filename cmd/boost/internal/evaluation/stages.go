package evaluation

import (
	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/internal/predictions"
)

// Stages are the flags that say which rounds of a model are looked at.
type Stages struct {
	Rounds  int
	Limited bool // --rounds was given
	Every   int  // 0: only after the last round
	Staged  bool // --staged was given
}

// Add gives the command the flags; what is what it gives after every N rounds.
func (s *Stages) Add(cmd *cobra.Command, what string) {
	cmd.Flags().IntVar(&s.Rounds, "rounds", 0, "use only the first `K` rounds (default: all)")
	cmd.Flags().IntVar(&s.Every, "staged", 0, what+" after every `N` rounds, and after the last")
}

// Given takes note of which flags were.
func (s *Stages) Given(cmd *cobra.Command) {
	s.Limited, s.Staged = cmd.Flags().Changed("rounds"), cmd.Flags().Changed("staged")
}

// Check refuses stages of no round.
func (s *Stages) Check() error {
	if s.Staged && s.Every < 1 {
		return exit.Usagef("--staged must be 1 or more rounds, not %d", s.Every)
	}
	return nil
}

// upTo returns the last round that is looked at.
func (s *Stages) upTo(m Model) int {
	if s.Limited {
		return s.Rounds
	}
	return m.Rounds()
}

// Fit refuses more rounds than the model has, and some of the rounds of averaged models, random forests and dropout.
func (s *Stages) Fit(m Model, file string) error {
	upTo := s.upTo(m)
	if upTo < 0 || upTo > m.Rounds() {
		return exit.Usagef("--rounds must be 0 … %d, the rounds of %s, not %d", m.Rounds(), file, s.Rounds)
	}
	if m.Averaged() > 0 && (upTo < m.Rounds() || s.Every > 0) {
		return exit.Usagef("%s has the rounds of %d models whose mean they are (train.bag_folds, train.blend), one behind the other: leave --rounds and --staged out", file, m.Averaged())
	}
	if err := m.Ensembles().Check(upTo, s.Every); err != nil {
		return exit.Usagef("%s: %v", file, err)
	}
	return nil
}

// FitTrust refuses what the model was not calibrated for, of kinds of predictions.
func (s *Stages) FitTrust(m Model, file string, kinds ...string) error {
	t, flag := m.Trust(), "--rounds"
	switch {
	case s.Every > 0:
		flag = "--staged"
	case s.upTo(m) == m.Rounds():
		return nil
	}
	for _, kind := range kinds {
		if flag == "--staged" && t.ChangesValues() || predictions.UsesTrust(t, kind) {
			return exit.Usagef("%s: %s is calibrated for all its %d rounds, and not for fewer: leave the flag out", flag, file, m.Rounds())
		}
	}
	return nil
}

// Options are those of a prediction.
func (s *Stages) Options() []model.Option {
	if !s.Limited {
		return nil
	}
	return []model.Option{model.Rounds(s.Rounds)}
}

// Trees returns how many trees are looked at.
func (s *Stages) Trees(m Model) int {
	if s.Limited {
		return s.Rounds * m.Outputs()
	}
	return m.NumTrees()
}
