package peers

import (
	"slices"

	"boost/benchmarks/harness"
)

// Record is everything that is known. It is saved after each turn.
type Record struct {
	Session string    `json:"session"` // the last one: when it began
	Planned []string  `json:"planned"` // its sets
	Build   string    `json:"build"`   // tells boost's program apart: only the same one goes on with a session
	Done    bool      `json:"done"`
	Sets    []*Result `json:"sets"` // by name, the generated ones last; also of sessions before
}

// Result is what was found on one table.
type Result struct {
	Name      string          `json:"name"`
	Generated bool            `json:"generated,omitempty"`
	Task      string          `json:"task"`
	Rows      int             `json:"rows"`
	Columns   int             `json:"columns"` // features
	Outputs   int             `json:"outputs"`
	Session   string          `json:"session"`
	Machine   harness.Machine `json:"machine"`
	Command   string          `json:"command"`
	Settings  Settings        `json:"settings"`
	Wanted    int             `json:"turns_wanted"`
	Best      Calibration     `json:"best_calibration"` // of the session, up to the last run
	Turns     []Turn          `json:"turns"`
	Missing   []Missing       `json:"missing,omitempty"`
	Done      bool            `json:"done"`
}

// Turn is the runs of all trainers, those of a busy machine too.
type Turn struct {
	Runs []Run `json:"runs"`
}

// Missing is a trainer that gave no figure.
type Missing struct {
	Trainer string `json:"trainer"`
	Threads int    `json:"threads"`
	Wait    string `json:"wait"`
	Why     string `json:"why"`
}

// Open reads the record at path; a file that is not there holds none.
func Open(path string) (*Record, error) {
	r := &Record{Done: true}
	err := harness.Read(path, r)
	return r, err
}

// Begin starts a session of the named sets, or goes on with the last one where that was
// interrupted, and the program and the sets are still the same.
func (r *Record) Begin(session, build string, names []string, fresh bool) (resumed bool) {
	if !r.Done && !fresh && r.Build == build && slices.Equal(r.Planned, names) {
		return true
	}
	r.Session, r.Build, r.Planned, r.Done = session, build, names, false
	return false
}

// Result returns that of a set in the session at hand; what other sessions found is replaced only
// once the first turn is done.
func (r *Record) Result(fresh Result) *Result {
	for _, known := range r.Sets {
		if known.Name == fresh.Name && known.Session == r.Session && known.Machine.Same(fresh.Machine) && known.Settings == fresh.Settings && known.Wanted == fresh.Wanted {
			return known
		}
	}
	fresh.Session = r.Session
	return &fresh
}

// put keeps a result in the place of that of before.
func (r *Record) put(result *Result) {
	i := slices.IndexFunc(r.Sets, func(s *Result) bool { return s.Name == result.Name })
	if i >= 0 {
		r.Sets[i] = result
		return
	}
	r.Sets = append(r.Sets, result)
}

// best returns the best calibration of the session.
func (r *Record) best() Calibration {
	var best Calibration
	for _, s := range r.Sets {
		if s.Session == r.Session {
			best = best.best(s.Best)
		}
	}
	return best
}

// Save writes the record; a program that is ended meanwhile leaves the file of before.
func (r *Record) Save(path string) error { return harness.Write(path, r) }
