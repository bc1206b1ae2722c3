package compress

import "boost/booster/model"

// levelNames returns which names of levels candidates keep.
func (q *search) levelNames() model.LevelNames {
	switch {
	case q.settings.KeepLevels:
		return model.AllNames
	case q.bounded():
		return model.HashedNames
	}
	return model.KnownNames
}

// marked returns the categorical features of which a model has marks in the place of names.
func marked(m *model.Model) []string {
	var names []string
	for i := range m.Contents().Cuts.Features {
		if f := &m.Contents().Cuts.Features[i]; len(f.NameHashes) > 0 {
			names = append(names, f.Name)
		}
	}
	return names
}
