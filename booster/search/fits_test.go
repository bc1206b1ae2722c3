package search

import (
	"log/slog"
	"testing"
	"time"

	"boost/booster"
)

// Models are begun for which there is time, going by what those before took. The first two, which find their rounds, take twice as long.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		models      int
		took, spent time.Duration
		limit       time.Duration
		spread      bool
		want        bool
	}{
		{0, 0, time.Hour, time.Minute, false, true}, // there is no model yet
		{1, time.Minute, time.Hour, time.Minute, false, true},
		{2, 20 * time.Second, 45 * time.Second, time.Minute, false, true},
		{2, 40 * time.Second, 45 * time.Second, time.Minute, false, false},
		{3, 10 * time.Second, 45 * time.Second, time.Minute, false, true},
		{3, 20 * time.Second, 45 * time.Second, time.Minute, false, false},
		{4, 20 * time.Second, 45 * time.Second, time.Minute, false, false},
		{4, 20 * time.Second, 45 * time.Second, 0, false, true},          // no limit
		{4, 20 * time.Second, 45 * time.Second, time.Minute, true, true}, // clocks of ranks differ
	} {
		w := &blending{Blending: Blending{Log: slog.New(slog.DiscardHandler), Spread: c.spread}, models: make([]*booster.Model, c.models), took: c.took, start: time.Now().Add(-c.spent)}
		w.p.TimeLimit = c.limit
		if got := w.fits(); got != c.want {
			t.Errorf("%d models, the last in %v, after %v of %v: %v", c.models, c.took, c.spent, c.limit, got)
		}
	}
}
