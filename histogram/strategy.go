package histogram

import (
	"fmt"

	"boost/binning"
)

// Strategy says how the work of one histogram is spread.
type Strategy uint8

// The strategies. All give the same histograms, bit for bit.
const (
	Sequential      Strategy = iota // one worker, all features
	FeatureParallel                 // workers take features, column-major codes
	RowParallel                     // workers take rows, row-major codes where there are some, then add up
)

// String returns the strategy's name in configs.
func (s Strategy) String() string { return [...]string{"sequential", "feature", "row"}[s] }

// Choose returns the strategy for a config name; "auto" (or "") decides by shape and
// whether there is a copy by rows. The reason says why. An unknown name is an error.
func Choose(name string, m *binning.Matrix, groups bool, threads int) (s Strategy, reason string, err error) {
	columns := m.Layout() == binning.LayoutCol
	for _, s := range []Strategy{Sequential, FeatureParallel, RowParallel} {
		if name == s.String() {
			if s == FeatureParallel && !columns {
				return 0, "", fmt.Errorf("builder \"feature\" reads columns, and the codes are kept in layout %q: use auto, sequential or row, or set binning.layout = \"col\"", m.Layout())
			}
			return s, "asked for", nil
		}
	}
	if name != "" && name != "auto" {
		return 0, "", fmt.Errorf("builder %q is not known: use auto, sequential, feature or row", name)
	}
	rows, features := m.NRows(), m.NFeatures()
	slots := int(m.Offsets()[features])
	switch {
	case threads == 1 || rows*features < smallTable:
		workers := fmt.Sprintf("%d threads", threads)
		if threads == 1 {
			workers = "1 thread"
		}
		return Sequential, fmt.Sprintf("%d rows × %d features on %s", rows, features, workers), nil
	case columns && !groups && slots > rows && features >= 4*threads:
		return FeatureParallel, fmt.Sprintf("%d bins outnumber %d rows: adding up per-worker histograms would cost more than the rows", slots, rows), nil
	}
	if slots > rows && groups {
		return RowParallel, fmt.Sprintf("%d bins outnumber %d rows: each worker makes tiles of a histogram by itself", slots, rows), nil
	}
	if slots > rows {
		return RowParallel, fmt.Sprintf("%d features are too few for %d threads, or are not kept by columns", features, threads), nil
	}
	return RowParallel, fmt.Sprintf("%d rows outnumber %d bins", rows, slots), nil
}

// smallTable is the number of cells below which waking workers costs more than they save.
const smallTable = 50_000
