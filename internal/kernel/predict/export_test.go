package predict

// Lists returns how many lists the steps of a plan write to.
func Lists(p *Plan) int {
	most := 0
	for i := range p.steps {
		most = max(most, int(p.steps[i].to)/TileRows+1)
	}
	return most
}
