package terminal

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// What is written follows the environment: colours, signs and the bar.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		env         string
		interactive bool
		colour      bool
		text        string
	}{
		{"", true, true, "3 × 4 … −1"},
		{"TERM=dumb", false, false, "3 × 4 … −1"},
		{"NO_COLOR=1", true, false, "3 × 4 … −1"},
		{"LANG=C", true, true, "3 x 4 ... -1"},
		{"LANG=de_DE.ISO-8859-1", true, true, "3 x 4 ... -1"},
		{"LANG=C LC_ALL=en_US.UTF-8", true, true, "3 × 4 … −1"},
		{"LANG=C.utf8", true, true, "3 × 4 … −1"},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		var w bytes.Buffer
		term := newTerminal(&w, true, func(name string) string { return env[name] })
		if term.Interactive != c.interactive || (term.paint(red, "x") != "x") != c.colour {
			t.Errorf("%s: interactive %v, colour %v", c.env, term.Interactive, term.paint(red, "x") != "x")
		}
		if n, err := term.Write([]byte("3 × 4 … −1")); n != len("3 × 4 … −1") || err != nil || w.String() != c.text {
			t.Errorf("%s: wrote %q, %d, %v, want %q", c.env, w.String(), n, err, c.text)
		}
		w.Reset()
		term.ShowBar(10)
		term.Step(1, "round 1/10")
		term.Step(10, "round 10/10")
		term.ClearBar()
		if drawn := strings.Contains(w.String(), "round 1/10"); drawn != c.interactive {
			t.Errorf("%s: bar drawn %v: %q", c.env, drawn, w.String())
		}
		if strings.ContainsAny(w.String(), "█·") && !strings.Contains(c.text, "×") {
			t.Errorf("%s: the bar has signs of UTF-8: %q", c.env, w.String())
		}
	}
}

// The bar leaves room for its text, on narrow screens too.
func TestBarWidth(t *testing.T) {
	for screen, want := range map[int]int{200: 24, 100: 24, 80: 20, 40: 10, 20: 5, 10: 4} {
		if got := barWidth(screen); got != want {
			t.Errorf("the bar has %d of %d characters, want %d", got, screen, want)
		}
	}
}

// Numbers of messages have as many digits as people read.
func TestNumbersOfMessages(t *testing.T) {
	var w strings.Builder
	slog.New(NewHandler(New(&w), "text", slog.LevelInfo)).Info("lost", "share", 0.003762193107137247, "rows", 12, "bytes", int64(69644))
	if want := "lost (share 0.003762, rows 12, 69.6 KB)\n"; w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
}

// A file of messages has their time and no colours.
func TestFileHandler(t *testing.T) {
	var w bytes.Buffer
	log := slog.New(NewFileHandler(&w, "text", slog.LevelDebug))
	log.Debug("a choice", "rows", 3)
	log.Error("wrong")
	lines := strings.Split(w.String(), "\n")
	for i, want := range []string{" a choice (rows 3)", " error: wrong"} {
		stamp, ok := strings.CutSuffix(lines[i], want)
		if _, err := time.Parse(time.DateTime, stamp); !ok || err != nil {
			t.Errorf("line %q, want a time and %q", lines[i], want)
		}
	}
}
