package format

import (
	"boost/booster/model/internal/jsonform"
	"boost/dataset"
)

// writtenEntry is how the manifest spells how the training table was written: only the ways that are not the usual ones.
type writtenEntry struct {
	Absent    string   `json:"absent"`
	Decimal   string   `json:"decimal"`
	Encoding  string   `json:"encoding"`
	Header    string   `json:"header"`
	Missing   textList `json:"missing"`
	Separator string   `json:"separator"`
}

func writtenForm(w *dataset.Written) any {
	form := map[string]any{}
	for key, value := range map[string]string{"absent": w.Absent, "decimal": w.Decimal, "encoding": w.Encoding, "header": w.Header, "separator": w.Separator} {
		if value != "" {
			form[key] = value
		}
	}
	if w.Missing != nil {
		form["missing"] = jsonform.Lazy(w.Missing, jsonform.AppendText)
	}
	return form
}

func (e *writtenEntry) contents() dataset.Written {
	if e == nil {
		return dataset.Written{}
	}
	w := dataset.Written{Absent: e.Absent, Decimal: e.Decimal, Encoding: e.Encoding, Header: e.Header, Separator: e.Separator}
	if e.Missing != nil {
		w.Missing = make([]string, len(e.Missing))
		for i, word := range e.Missing {
			w.Missing[i] = string(word)
		}
	}
	return w
}
