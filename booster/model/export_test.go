package model

// UseVectors makes the engine of a model anew, with plans or without. Nobody else may use
// the model meanwhile.
func UseVectors(m *Model, vectors bool) {
	m.inference()
	m.engine = newEngine(m.trees, m.columns, vectors)
}

// UseRowVectors makes what predicts single rows anew, and says whether it is in vectors.
func UseRowVectors(m *Model, vectors bool) bool {
	m.rowsReady.Do(func() {})
	m.rows = m.newRows(vectors)
	return m.rows.vectors != nil
}
