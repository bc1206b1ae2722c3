package peers

import "slices"

// What counts: no table below Floor times LightGBM's best, and Mean in the geometric mean.
const (
	Floor = 1.5
	Mean  = 3.0
)

// figure is what a trainer reached on a table with so many threads.
type figure struct {
	seconds   float64 // of boosting alone, the least; 0 = none
	way, wait string
	file      float64 // from the file to the model, the least
	engine    string  // pandas' that the file was read with
	busy      bool    // no run was on a quiet machine
}

// figure returns that of a trainer, of its quiet runs, or of all where none was quiet.
func (s *Result) figure(trainer string, threads int) (f figure) {
	runs := s.runs(trainer, threads)
	if quiet := slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool { return r.slower(s.Best) > busy }); len(quiet) > 0 {
		runs = quiet
	} else {
		f.busy = len(runs) > 0
	}
	for _, run := range runs {
		way, seconds := run.Process.fastest()
		if way == "" {
			continue
		}
		if f.seconds == 0 || seconds < f.seconds {
			f.seconds, f.way, f.wait = seconds, way, run.Wait
		}
		if file := run.Process.file(); f.file == 0 || file < f.file {
			f.file, f.engine = file, run.Process.Engine
		}
	}
	return f
}

// busy reports whether any figure was found on a busy machine only.
func (s *Result) busy() bool {
	for _, trainer := range []string{Boost, LightGBM, XGBoost} {
		if s.figure(trainer, 1).busy || s.figure(trainer, 2).busy {
			return true
		}
	}
	return false
}

// file returns the seconds from the file to the model. Of a peer they are the sum of the least
// seconds of its parts, which is no more than it takes in one go.
func (p *Process) file() float64 {
	if p.File > 0 {
		return p.File
	}
	_, seconds := p.fastest()
	return p.Read + p.Bin + seconds
}

// ratios are by how much boost is faster on a table, 0 = unknown.
type ratios struct {
	light, xg         [2]float64 // with two threads and with one
	scaling           float64    // seconds of one thread by those of two
	fileLight, fileXG float64    // from the file to the model, with two threads
}

// list returns them in the order of the table's columns.
func (r *ratios) list() []float64 {
	return []float64{r.light[0], r.light[1], r.xg[0], r.xg[1], r.scaling, r.fileLight, r.fileXG}
}

// ratios compares boost with the peers' best ways.
func (s *Result) ratios() ratios {
	var r ratios
	by := func(theirs, ours float64) float64 {
		if theirs == 0 || ours == 0 {
			return 0
		}
		return theirs / ours
	}
	for i, threads := range []int{2, 1} {
		ours := s.figure(Boost, threads)
		r.light[i] = by(s.figure(LightGBM, threads).seconds, ours.seconds)
		r.xg[i] = by(s.figure(XGBoost, threads).seconds, ours.seconds)
	}
	two := s.figure(Boost, 2)
	r.scaling = by(s.figure(Boost, 1).seconds, two.seconds)
	r.fileLight = by(s.figure(LightGBM, 2).file, two.file)
	r.fileXG = by(s.figure(XGBoost, 2).file, two.file)
	return r
}
