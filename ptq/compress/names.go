package compress

import "boost/booster/model"

// naming says which names of levels candidates keep.
func (q *search) naming() model.Naming {
	switch {
	case q.settings.KeepLevels:
		return model.NameAll
	case q.bounded():
		return model.NameMarked
	}
	return model.NameKnown
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
