package model

import "boost/internal/cpu"

// UseSet makes the engine of a model anew: tiles go in the set; with cpu.Generic rows go in lists. Nobody else may use the model meanwhile.
func UseSet(m *Model, set cpu.Level) {
	m.inference()
	m.engine = newEngine(only(set))
	m.runs = runsOf(nil, 0, m.trees, m.engine.plans(len(m.trees)), m.columns)
}

// UseCompactSet is UseSet for a Compact.
func UseCompactSet(c *Compact, set cpu.Level) {
	c.engine = newEngine(only(set))
}

// Kept reports whether all but the trees of a Compact is unpacked for good.
func Kept(c *Compact) bool { return c.kept != nil }

// UseRowSet makes what predicts single rows anew, and reports whether it is in vectors of the set.
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
