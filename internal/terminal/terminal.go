package terminal

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Terminal is standard error: lines of text, and on a terminal a progress bar
// below them that steps aside for each line.
type Terminal struct {
	Interactive bool // somebody watches

	mutex  sync.Mutex
	w      io.Writer
	colour bool
	bar    *progressbar.ProgressBar
}

// New returns what writes to w.
func New(w io.Writer) *Terminal {
	t := &Terminal{w: w, Interactive: Is(w)}
	t.colour = t.Interactive && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return t
}

// Is reports whether what is written to w goes to a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Write writes whole lines above the bar.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		_ = t.bar.Clear()
	}
	return t.w.Write(p)
}

// ShowBar starts a bar of n steps; nothing happens where there is no terminal.
func (t *Terminal) ShowBar(n int) {
	if !t.Interactive {
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

// Step moves the bar.
func (t *Terminal) Step(done int, description string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		t.bar.Describe(description)
		_ = t.bar.Set(done)
	}
}

// ClearBar takes the bar away.
func (t *Terminal) ClearBar() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		_ = t.bar.Clear()
		_ = t.bar.Exit()
		t.bar = nil
	}
}

// paint gives text one of the terminal's colours, where it has them.
func (t *Terminal) paint(code int, text string) string {
	if !t.colour {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}

// usualWidth is how wide text may be where nobody says how wide the screen is.
const usualWidth = 100

// Width returns how many characters fit a line of what is written to w.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, 40)
		}
	}
	return usualWidth
}
