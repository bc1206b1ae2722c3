// Package progress shows the rounds of training as they come: with a bar where there is a terminal, else in messages from
// time to time.
//
// In: rounds. Out: messages. It must not know what is trained.
package progress

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"boost/booster"
	"boost/internal/format"
	"boost/internal/terminal"
)

// Rounds shows the rounds of one training.
type Rounds struct {
	Terminal *terminal.Terminal
	Log      *slog.Logger
	Verbose  bool // each round in a message
	JSON     bool // messages are read by programs
	Before   int  // rounds that there are before training
	Patience int  // rounds without a better metric that end it; 0 = any
	Valid    bool // a validation set is given
	Report   *booster.Report

	lastLog, first time.Time
}

// roundLogInterval is how often training without a terminal says where it is.
const roundLogInterval = 10 * time.Second

// timeLeft says how long training goes on, if rounds take as long as so far: as far as the patience
// of early stopping goes, to all rounds.
func (p *Rounds) timeLeft(round booster.Round) string {
	done := round.Index + 1
	trained := done - p.Before - p.Report.Resumed
	most := round.Of - done
	if trained == 1 {
		p.first = time.Now()
	}
	if trained < 3 || most == 0 {
		return ""
	}
	each := time.Since(p.first).Seconds() / float64(trained-1)
	left := func(rounds int) string { return format.Seconds(math.Ceil(each * float64(rounds))) }
	least := most
	if patience := p.Patience; patience > 0 && len(round.Evals) > 0 && (p.Valid || len(p.Report.HeldOut) > 0) {
		least = min(most, max(0, round.Best+patience-done))
	}
	if from, to := left(least), left(most); from != to {
		return fmt.Sprintf("  %s to %s left", from, to)
	}
	return "  " + left(most) + " left"
}

// Show shows a finished round.
func (p *Rounds) Show(round booster.Round) {
	words := fmt.Sprintf("round %s/%s", format.Count(round.Index+1), format.Count(round.Of)) + p.timeLeft(round)
	var attrs []any
	for i, e := range round.Evals {
		if i == 0 {
			words += fmt.Sprintf("  %s %s %s", e.Set, e.Metric, format.People(e.Value))
			if round.Best < round.Index+1 {
				words += "  best after " + format.Count(round.Best)
			}
		}
		attrs = append(attrs, e.Set+" "+e.Metric, format.Finite(e.Value))
	}
	p.Terminal.Step(round.Index+1, words)
	level := slog.LevelInfo
	switch {
	case p.Verbose:
	case p.Terminal.Interactive && !p.JSON, time.Since(p.lastLog) < roundLogInterval:
		level = slog.LevelDebug // for a log file
	case p.lastLog.IsZero():
		level, p.lastLog = slog.LevelDebug, time.Now()
	default:
		p.lastLog = time.Now()
	}
	if p.JSON {
		words = "round"
		attrs = append([]any{"round", round.Index + 1, "of", round.Of, "best", round.Best}, attrs...)
	} else {
		attrs = nil
	}
	p.Log.Log(context.Background(), level, words, attrs...)
}
