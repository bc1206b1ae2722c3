package model

// Timing is what a way of predicting took, in nanoseconds. All ways give the same bits.
type Timing struct {
	Way string
	// Nanoseconds is per row and tree in Ways.Batch, per row in Ways.Row.
	Nanoseconds float64
}

// Ways is how a model predicts on this machine, the chosen way first, with what it was
// measured to take beside the others. A list is empty until a prediction was large enough to
// measure with (Batch) or until the first row (Row), or where there is one way only.
type Ways struct{ Batch, Row []Timing }

// Ways returns how the model has predicted so far. It is safe for concurrent use.
func (m *Model) Ways() Ways {
	var w Ways
	w.Batch = append(w.Batch, m.inference().measured.Load().timings...)
	if r := m.rows.Load(); r != nil {
		w.Row = append(w.Row, r.timings...)
	}
	return w
}
