package entropy

// Mixer weighs the estimates of a bit that three contexts give: it adds up their log-odds, each
// times a weight that grows where it has been right (logistic mixing: Mahoney 2005, "Adaptive
// weighing of context models for lossless data compression"). The zero value weighs all alike.
type Mixer struct {
	weights [3]int32 // less firstWeight, in 1/65,536
}

const (
	// firstWeight suits contexts that know little: the sum of three is a little more than
	// their mean.
	firstWeight = 26_000
	// rate is how fast weights follow, in 1/65,536 per unit of log-odds and of error.
	rate = 2
	// oddsLimit bounds log-odds, which are in 1/256: they lie between -8 and 8.
	oddsLimit = 2047
)

// knots[k] is the probability of log-odds k/2, from 0 to 8, in 1/65,536 rounded. Between them
// it is interpolated; this, and not the logistic function, is the format.
var knots = [17]int32{
	32_768, 40_793, 47_911, 53_581, 57_724, 60_565, 62_428, 63_615, 64_357,
	64_816, 65_097, 65_269, 65_374, 65_438, 65_476, 65_500, 65_514,
}

// chances[i] is the probability of log-odds (i - 2,048)/256, odds[i] the least log-odds of which
// the probability is at least (i + ½)/4,096, or the limit.
var odds, chances = makeOdds()

func makeOdds() (odds [4096]int16, chances [4097]uint16) {
	for x := range int32(2049) {
		k := min(x/128, 15)
		rest := x - 128*k
		p := (knots[k]*(128-rest) + knots[k+1]*rest + 64) >> 7
		chances[2048+x] = uint16(p)
		chances[2048-x] = uint16(One - p)
	}
	x := -oddsLimit
	for i := range odds {
		for x < oddsLimit && int(chances[x+2048]) < 16*i+8 {
			x++
		}
		odds[i] = int16(x)
	}
	return odds, chances
}

// Code codes a bit with the estimates of three contexts, which learn it as the weights do.
// They may be one and the same.
func (m *Mixer) Code(c *Coder, bit uint32, x, y, z *Bit) uint32 {
	ox, oy, oz := int64(odds[x.P()>>4&4095]), int64(odds[y.P()>>4&4095]), int64(odds[z.P()>>4&4095])
	w := &m.weights
	sum := (int64(w[0]+firstWeight)*ox + int64(w[1]+firstWeight)*oy + int64(w[2]+firstWeight)*oz) >> 16
	p := uint32(chances[(min(max(sum, -oddsLimit), oddsLimit)+2048)&4095])
	bit = c.Bit(bit, p)
	miss := (int64(bit<<16) - int64(p)) * rate
	w[0] += int32(ox * miss >> 16)
	w[1] += int32(oy * miss >> 16)
	w[2] += int32(oz * miss >> 16)
	x.learn(bit)
	y.learn(bit)
	z.learn(bit)
	return bit
}
