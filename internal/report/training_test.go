package report

import (
	"strings"
	"testing"

	"boost/booster"
)

// The first line says how long training went on and why; the stages of the time add up to its total.
func TestTrainingText(t *testing.T) {
	for want, s := range map[string]Training{
		"120 of 170 rounds kept: 50 more gave no better auc on 1,200 rows held out\n": {BestRound: 120, Rounds: 170, Stopped: booster.StoppedEarly, TrainingText: TrainingText{HeldOut: 1200}},
		"120 of 170 rounds kept: 50 more gave no better auc on valid\n":               {BestRound: 120, Rounds: 170, Stopped: booster.StoppedEarly},
		"1,000 rounds\n": {BestRound: 1000, Rounds: 1000, Stopped: booster.StoppedRounds},
		"5 of 7 rounds kept: 2 more gave no better auc on 9 rows held out; then trained on all rows\n":                                        {BestRound: 5, Rounds: 7, Stopped: booster.StoppedEarly, TrainingText: TrainingText{HeldOut: 9}, Retrained: true},
		"5 of 7 rounds kept: 2 more gave no better auc on rows left out; the mean of 3 models, each of these rounds on all rows but a part\n": {BestRound: 5, Rounds: 7, Stopped: booster.StoppedEarly, Bagged: 3},
		"1 round; 9 rows held out\n":                   {BestRound: 1, Rounds: 1, Stopped: booster.StoppedRounds, TrainingText: TrainingText{HeldOut: 9}},
		"9 of 10 rounds kept: the best auc on valid\n": {BestRound: 9, Rounds: 10, Stopped: booster.StoppedRounds},
		"10 rounds: the time limit was reached\n":      {BestRound: 10, Rounds: 10, Stopped: booster.StoppedTimeLimit},
		"10 rounds: interrupted\n":                     {BestRound: 10, Rounds: 10, Stopped: booster.StoppedInterrupted},
	} {
		var b strings.Builder
		if err := s.Write(&b, []string{"auc"}); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("got %q, %v, want %q", b.String(), err, want)
		}
	}
	for want, s := range map[string]TrainingSeconds{
		"10 s: load 1 s, bin 2 s, train 5 s, score 1 s, save 1 s":             {Load: 1, Bin: 2, Train: 5, Score: 1, Save: 1, Total: 10},
		"10 s: load 1 s, bin 2 s, train 5 s, score 1 s, save 0 ms, other 1 s": {Load: 1, Bin: 2, Train: 5, Score: 1, Total: 10},
	} {
		if got := s.text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
