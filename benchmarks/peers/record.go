package peers

import (
	"slices"

	"boost/benchmarks/harness"
)

// Record is everything that is known. It is saved after each set.
type Record struct {
	Sets []*Result `json:"sets"` // also those that were measured before

	best Calibration // of what was measured now
}

// Result is what was found on one table.
type Result struct {
	Name      string          `json:"name"`
	Generated bool            `json:"generated,omitempty"`
	Task      string          `json:"task"`
	Rows      int             `json:"rows"`
	Columns   int             `json:"columns"` // features
	Outputs   int             `json:"outputs"`
	Machine   harness.Machine `json:"machine"`
	Command   string          `json:"command"`
	Settings  Settings        `json:"settings"`
	Wanted    int             `json:"turns_wanted"`
	Best      Calibration     `json:"best_calibration"` // of this set and those measured before it
	Turns     []Turn          `json:"turns"`
	Missing   []Missing       `json:"missing,omitempty"`
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
	r := &Record{}
	err := harness.Read(path, r)
	return r, err
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

// Save writes the record; a program that is ended meanwhile leaves the file of before.
func (r *Record) Save(path string) error { return harness.Write(path, r) }
