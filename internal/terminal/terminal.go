package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"boost/internal/format"
)

// Terminal is standard error: lines of text, and on a terminal a progress bar
// below them that steps aside for each line.
type Terminal struct {
	Interactive bool // somebody watches a screen whose lines can be written anew

	mutex  sync.Mutex
	w      io.Writer
	colour bool
	ascii  bool
	bar    *progressbar.ProgressBar
}

// New returns what writes to w. Of the environment it takes NO_COLOR, TERM=dumb, and a locale that
// names another encoding than UTF-8.
func New(w io.Writer) *Terminal {
	return newTerminal(w, Is(w), os.Getenv)
}

func newTerminal(w io.Writer, isTerminal bool, env func(string) string) *Terminal {
	t := &Terminal{w: w, Interactive: isTerminal && env("TERM") != "dumb"}
	t.colour = t.Interactive && env("NO_COLOR") == ""
	locale := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	t.ascii = locale != "" && !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
	return t
}

// signs are those of messages that other encodings than UTF-8 may lack.
var signs = strings.NewReplacer("…", "...", "×", "x", "−", "-", "≥", ">=", "≤", "<=", "±", "+/-", "·", ".", "█", "#", "→", "->")

// text returns a text as the screen can show it.
func (t *Terminal) text(s string) string {
	if !t.ascii {
		return s
	}
	return signs.Replace(s)
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
	if _, err := io.WriteString(t.w, t.text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
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
		progressbar.OptionSetWidth(barWidth(Width(t.w))),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionThrottle(80*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetTheme(progressbar.Theme{
			Saucer: t.text("█"), SaucerPadding: t.text("·"), BarStart: "", BarEnd: "",
		}))
}

// barWidth returns how wide the bar is on a screen.
func barWidth(screen int) int { return max(4, min(24, screen/4)) }

// aroundBar is what the bar and its percentage take beside their width.
const aroundBar = 8

// Step moves the bar.
func (t *Terminal) Step(done int, description string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.bar != nil {
		screen := Width(t.w)
		t.bar.Describe(t.text(format.Shorten(description, max(0, screen-barWidth(screen)-aroundBar))))
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
			return max(n, 20)
		}
	}
	return usualWidth
}
