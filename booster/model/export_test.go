package model

import "boost/internal/cpu"

// UseSet makes the engine of a model anew: tiles go in the set alone, without a measurement;
// with cpu.Generic rows go in lists. Nobody else may use the model meanwhile.
func UseSet(m *Model, set cpu.Level) {
	m.inference()
	m.engine = newEngine(only(set))
	m.runs = runsOf(m.trees, m.columns, set != cpu.Generic)
	w := *m.engine.measured.Load()
	w.settled = true
	m.engine.measured.Store(&w)
}

// UseRowSet makes what predicts single rows anew, and says whether it is in vectors of the set.
func UseRowSet(m *Model, set cpu.Level) bool {
	m.rowsReady.Do(func() {})
	r := m.newRows(only(set))
	if r.set = cpu.Generic; r.vectors != nil {
		r.set = set
	}
	m.rows.Store(r)
	return r.set == set
}

func only(set cpu.Level) []cpu.Level {
	if set == cpu.Generic {
		return nil
	}
	return []cpu.Level{set}
}
