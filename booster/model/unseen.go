package model

import (
	"strings"

	"boost/binning"
	"boost/dataset"
)

// Unseen says what of one categorical column the model has not seen in training.
type Unseen = binning.Unseen

// Unseen returns, for each categorical feature of a table that has such rows, how
// many of them have a level that the trees have not seen: one that is not in the
// model's dictionary, or that stood only in rows held out of training. Predictions
// take such a level for a missing value. A feature that no tree splits on and whose levels
// are not kept, as in a model made of Contents.Narrow, has none, nor has one of Unlisted. Neither the table nor the model
// is changed. Errors are those of Predict.
func (m *Model) Unseen(t *dataset.Table) ([]Unseen, error) {
	return m.engine.Unseen(t)
}

// Unlisted returns the names of the categorical features of which the model does not name all levels
// that training had, so that Unseen cannot tell others from these: compressed models leave out names
// of levels that no split tells apart (LevelNames).
func (m *Model) Unlisted() []string { return m.engine.Unlisted() }

// LevelIndex returns what stands for a level of a categorical feature in the values of PredictValues: the
// index of its name in the column's Levels, of the name without the blanks around it if it is not there, their number where the model knows it without a name, and
// −1 where it does not know it. feature counts the schema's feature columns.
// The first call prepares them all.
func (m *Model) LevelIndex(feature int, level string) float64 {
	m.levelsReady.Do(func() {
		for _, column := range m.contents.FeatureColumns() {
			index := make(map[string]int, len(column.Levels))
			for i, name := range column.Levels {
				index[name] = i
			}
			m.levels = append(m.levels, index)
		}
	})
	for _, name := range []string{level, strings.Trim(level, " \t")} { // a level may have blanks around it
		if i, ok := m.levels[feature][name]; ok {
			return float64(i)
		}
	}
	if f := &m.contents.Cuts.Features[feature]; f.HashesName(level) {
		return float64(len(f.Codes))
	}
	return -1
}
