package entropy

// Bit estimates a bit from those that came before in its context. The zero value knows
// nothing: both are equally likely. It costs four bytes.
type Bit struct {
	ones int16  // probability of a one, less a half, in 1/65,536
	seen uint16 // bits so far, up to memory
}

// memory is how many bits an estimate is the mean of; after these it follows the newest.
const memory = 250

// gains[n] is the share, in 1/65,536, that bit n has in the estimate after it:
// 1/(n+1.8), so that the first moves it from 1/2 to 0.78.
var gains = makeGains()

func makeGains() (g [256]int32) {
	for n := range memory + 1 {
		g[n] = int32((65536*10 + 5*n) / (10*n + 18))
	}
	return g
}

// least is the smallest probability that a single estimate gives.
const least = 16

// P returns the probability of a one, in 1/One.
func (b *Bit) P() uint32 { return uint32(int32(b.ones) + One/2) }

func (b *Bit) learn(bit uint32) {
	p, seen := int32(b.ones)+One/2, b.seen&255
	p += int32((int64(bit<<16) - int64(p)) * int64(gains[seen]) >> 16)
	b.ones = int16(min(max(p, least), One-least) - One/2)
	b.seen = min(seen+1, memory)
}

// Code codes a bit with this estimate alone.
func (b *Bit) Code(c *Coder, bit uint32) uint32 {
	bit = c.Bit(bit, b.P())
	b.learn(bit)
	return bit
}

// Mixer weighs the estimates of a bit that different contexts give: it adds their
// log-odds, each by a weight that grows where it has been right. The zero value weighs
// all alike.
type Mixer struct {
	weights [3]int32 // less the first weight, in 1/65,536
}

// firstWeight suits contexts that know little: the sum of three is a little more than
// their mean.
const firstWeight = 26_000

// Log-odds are in 1/256 and between -8 and 8.
const oddsLimit = 2047

// knots[k] is the probability of log-odds k/2, from 0 to 8, in 1/65,536 rounded. Between them
// it is interpolated; this, and not the logistic function, is the format.
var knots = [17]int32{
	32_768, 40_793, 47_911, 53_581, 57_724, 60_565, 62_428, 63_615, 64_357,
	64_816, 65_097, 65_269, 65_374, 65_438, 65_476, 65_500, 65_514,
}

// chances gives the probability of log-odds (i-2,048)/256, odds the least log-odds of which the
// probability is at least (i+½)/4,096.
var odds, chances = makeOdds()

func makeOdds() (odds [4096]int16, chances [4097]uint16) {
	for x := range int32(2049) {
		k, rest := min(x/128, 15), x-min(x/128, 15)*128
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

// Code codes a bit with the estimates of three contexts.
func (m *Mixer) Code(c *Coder, bit uint32, x, y, z *Bit) uint32 {
	px, py, pz := x.P(), y.P(), z.P()
	ox, oy, oz := int64(odds[px>>4&4095]), int64(odds[py>>4&4095]), int64(odds[pz>>4&4095])
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

// rate is how fast weights follow, see Mixer.
const rate = 2
