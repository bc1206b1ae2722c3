package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// terminal is standard error: lines of text, and on a terminal a progress bar
// below them that steps aside for each line.
type terminal struct {
	mutex       sync.Mutex
	w           io.Writer
	interactive bool // somebody watches
	colour      bool
	bar         *progressbar.ProgressBar
}

func newTerminal(w io.Writer) *terminal {
	t := &terminal{w: w, interactive: isTerminal(w)}
	t.colour = t.interactive && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return t
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Write writes whole lines above the bar.
func (t *terminal) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		_ = t.bar.Clear()
	}
	return t.w.Write(p)
}

// showBar starts a bar of n steps; nothing happens where there is no terminal.
func (t *terminal) showBar(n int) {
	if !t.interactive {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.bar = progressbar.NewOptions(n,
		progressbar.OptionSetWriter(t.w),
		progressbar.OptionUseANSICodes(t.colour),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionThrottle(80*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetTheme(progressbar.Theme{
			Saucer: "█", SaucerPadding: "·", BarStart: "", BarEnd: "",
		}))
}

// step moves the bar.
func (t *terminal) step(done int, description string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		t.bar.Describe(description)
		_ = t.bar.Set(done)
	}
}

// clearBar takes the bar away.
func (t *terminal) clearBar() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		_ = t.bar.Clear()
		_ = t.bar.Exit()
		t.bar = nil
	}
}

// paint gives text one of the terminal's colours, where it has them.
func (t *terminal) paint(code int, text string) string {
	if !t.colour {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}

// usualWidth is how wide text may be where nobody says how wide the screen is.
const usualWidth = 100

// width returns how many characters fit a line of standard output.
func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, 40)
		}
	}
	return usualWidth
}
