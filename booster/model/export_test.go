package model

// UseVectors makes the engine of a model anew, with plans or without. Nobody else may use
// the model meanwhile.
func UseVectors(m *Model, vectors bool) {
	m.inference()
	m.engine = newEngine(m.trees, m.columns, vectors)
}
