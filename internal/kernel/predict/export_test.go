package predict

import "boost/internal/cpu"

// Codes writes the codes of a row's values as Add makes them, and reports whether one is missing.
func Codes(r *Row, set cpu.Level, values []float64, codes *[RowFeatures]uint8) (missing bool) {
	return r.search.code(values, (*rowCodes)(codes), set)
}

// Lists returns how many lists the steps of a plan write to.
func Lists(p *Plan) int {
	most := 0
	for i := range p.steps {
		most = max(most, int(p.steps[i].to)/TileRows+1)
	}
	return most
}

// MakePlan makes the plan of a tree.
func MakePlan(t *Tree, bits []uint8) (p Plan, ok bool) {
	ok = p.Make(t, bits)
	return p, ok
}
