package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"boost/benchmarks/machine"
	"boost/benchmarks/record"
)

// Session is one measurement of a row. It is saved after each run, so that an
// interrupted one can be taken up again.
type Session struct {
	Machine machine.Info `json:"machine"`
	Build   string       `json:"build"` // tells boost's program apart: only the same one goes on with a session
	Row     Row          `json:"row"`
	Command string       `json:"command"`
	Runs    []Measured   `json:"runs"` // in the order they ran
	Missing []Missing    `json:"missing,omitempty"`
	Turns   []string     `json:"turns,omitempty"` // who takes part in the second part, boost first
	Done    bool         `json:"done"`
}

// Measured is one run within a session.
type Measured struct {
	Contender string `json:"contender"`
	Turn      int    `json:"turn"`           // from 1; 0 is the first part, in which every peer runs once
	Rounds    int    `json:"rounds"`         // boosting rounds of this run
	Load      string `json:"load,omitempty"` // the machine's load average before the run
	Run       Run    `json:"figures"`
}

// Missing is a peer that gave no figure.
type Missing struct {
	Contender string  `json:"contender"`
	Why       string  `json:"why"`
	Wall      float64 `json:"wall_seconds"` // that it took all the same
}

// History is the sessions of one row, oldest first, as kept in a file.
type History struct {
	path     string
	Sessions []*Session `json:"sessions"`
}

// Open reads the sessions of a row from folder; a file that is not there holds none.
func Open(folder, row string) (*History, error) {
	h := &History{path: filepath.Join(folder, row+".json")}
	b, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, h); err != nil {
		return nil, fmt.Errorf("%s: %w", h.path, err)
	}
	return h, nil
}

// Begin returns the session to go on with: the last one, if it was interrupted, and the
// program, the row and the machine are still the same; else fresh, which is added. An
// interrupted session that nobody goes on with is dropped: it shows nothing.
func (h *History) Begin(fresh *Session, anew bool) (s *Session, resumed bool) {
	if n := len(h.Sessions); n > 0 && !h.Sessions[n-1].Done {
		last := h.Sessions[n-1]
		if !anew && last.Build == fresh.Build && last.Row == fresh.Row && fresh.Machine.Same(last.Machine) {
			return last, true
		}
		h.Sessions = h.Sessions[:n-1]
	}
	h.Sessions = append(h.Sessions, fresh)
	return fresh, false
}

// Latest returns the last session that is done, nil where there is none.
func (h *History) Latest() *Session {
	for i := len(h.Sessions) - 1; i >= 0; i-- {
		if h.Sessions[i].Done {
			return h.Sessions[i]
		}
	}
	return nil
}

// machines returns the last session that is done on each kind of processor, the newest first.
func (h *History) machines() []*Session {
	var list []*Session
	seen := map[string]bool{}
	for _, s := range slices.Backward(h.Sessions) {
		if s.Done && !seen[s.Machine.CPU] {
			seen[s.Machine.CPU], list = true, append(list, s)
		}
	}
	return list
}

// Save writes the sessions; a program that is ended meanwhile leaves the file of before.
func (h *History) Save() error { return record.Write(h.path, h) }

// ran says that a contender had a turn.
func (s *Session) ran(name string, turn int) bool {
	for i := range s.Runs {
		if s.Runs[i].Contender == name && s.Runs[i].Turn == turn {
			return true
		}
	}
	return false
}

func (s *Session) missing(name string) bool {
	for _, m := range s.Missing {
		if m.Contender == name {
			return true
		}
	}
	return false
}

// spent returns the seconds that all runs took.
func (s *Session) spent() float64 {
	sum := 0.0
	for i := range s.Runs {
		sum += s.Runs[i].Run.Wall
	}
	for _, m := range s.Missing {
		sum += m.Wall
	}
	return sum
}
