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

// screen is standard error: lines of text, and on a terminal a progress bar
// below them that steps aside for each line.
type screen struct {
	mutex    sync.Mutex
	w        io.Writer
	terminal bool
	colour   bool
	bar      *progressbar.ProgressBar
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w, terminal: isTerminal(w)}
	s.colour = s.terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Write writes whole lines above the bar.
func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.bar != nil {
		_ = s.bar.Clear()
	}
	return s.w.Write(p)
}

// showBar starts a bar of n steps; nothing happens where there is no terminal.
func (s *screen) showBar(n int) {
	if !s.terminal {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bar = progressbar.NewOptions(n,
		progressbar.OptionSetWriter(s.w),
		progressbar.OptionUseANSICodes(s.colour),
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
func (s *screen) step(done int, description string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.bar != nil {
		s.bar.Describe(description)
		_ = s.bar.Set(done)
	}
}

// clearBar takes the bar away.
func (s *screen) clearBar() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.bar != nil {
		_ = s.bar.Clear()
		_ = s.bar.Exit()
		s.bar = nil
	}
}

// paint gives text one of the terminal's colours, where it has them.
func (s *screen) paint(code int, text string) string {
	if !s.colour {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}
