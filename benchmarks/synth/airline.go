package synth

import (
	"fmt"
	"math"

	"boost/internal/rng"
)

const (
	airlinePurpose   = purpose + 2
	covertypePurpose = purpose + 3
)

// airlineLevels are the levels of the Airline kind's columns; 0 marks a numeric one.
var airlineLevels = [...]int{12, 31, 7, 0, 22, 300, 10_000, 0}

// The numeric columns: minute of departure and distance. The others are month, day,
// weekday, carrier, airport and flight.
const (
	departure = 3
	airport   = 5
	distance  = 7
)

// airline makes rows that resemble the flights of the airline on-time data: few
// columns, most of them categorical, one of 10,000 levels of which few are frequent.
// The label, a delay, depends on an effect of each level, on the hour and the distance,
// and on airport and hour together.
type airline struct{ shape, cells uint64 }

func newAirline(seed uint64) *airline {
	return &airline{shape: rng.Key(seed, airlinePurpose, 0, 0), cells: rng.Key(seed, airlinePurpose, 0, 1)}
}

func (*airline) width() int { return len(airlineLevels) }

func (g *airline) fill(lo, hi int, x, y []float32) {
	width := g.width()
	for row := lo; row < hi; row++ {
		key := rng.Draw(g.cells, uint64(row))
		out := x[(row-lo)*width : (row-lo+1)*width]
		signal := -0.4
		for f, levels := range airlineLevels {
			u := rng.Unit(rng.Draw(key, uint64(f)))
			if levels == 0 {
				continue
			}
			if levels > 31 {
				u *= u // few airports and flights are frequent
			}
			level := int(float64(levels) * u)
			out[f] = float32(level)
			signal += float64(0.4 * bell(rng.Draw(g.shape, uint64(f)<<32|uint64(level))))
		}
		minute := math.Floor(300 + float64(1140*rng.Unit(rng.Draw(key, departure))))
		miles := math.Floor(60 + float64(2600*math.Pow(rng.Unit(rng.Draw(key, distance)), 2)))
		out[departure], out[distance] = float32(minute), float32(miles)
		signal += float64((minute - 870) * 0.0015)
		if minute > 1000 {
			signal += float64(0.5 * bell(rng.Draw(g.shape, 1<<40|uint64(out[airport]))))
		}
		signal -= float64(math.Abs(miles-900) * 0.0002)
		y[row-lo] = 0
		if signal+float64(0.9*bell(rng.Draw(key, noiseDraw))) > 0 {
			y[row-lo] = 1
		}
	}
}

// The columns of the Covertype kind: numbers of the terrain, then one 1 among the areas
// and one among the soils.
const (
	terrain = 10
	areas   = 4
	soils   = 40
	classes = 7
)

// classBias sets how frequent the classes are: two make up most rows, the rarest is
// one row in some hundreds.
var classBias = [classes]float64{1.5, 1.8, 0.2, -1.2, -0.6, -0.3, 0}

// covertype makes rows that resemble the forest cover data: seven classes of very
// different size, ten numbers of which the height says most, and two one-hot groups.
type covertype struct{ shape, cells uint64 }

func newCovertype(seed uint64) *covertype {
	return &covertype{shape: rng.Key(seed, covertypePurpose, 0, 0), cells: rng.Key(seed, covertypePurpose, 0, 1)}
}

func (*covertype) width() int { return terrain + areas + soils }

func (g *covertype) fill(lo, hi int, x, y []float32) {
	width := g.width()
	clear(x)
	var z [terrain]float64
	for row := lo; row < hi; row++ {
		key := rng.Draw(g.cells, uint64(row))
		out := x[(row-lo)*width : (row-lo+1)*width]
		for f := range z {
			z[f] = bell(rng.Draw(key, uint64(f)))
			out[f] = float32(math.Round(1500 + float64(300*z[f])))
		}
		out[1] = float32(math.Round(360 * rng.Unit(rng.Draw(key, 1)))) // the side a slope faces
		// Areas and soils follow the height.
		area := level(z[0]+float64(0.5*bell(rng.Draw(key, terrain))), areas)
		soil := level(z[0]+float64(0.7*bell(rng.Draw(key, terrain+1))), soils)
		out[terrain+area], out[terrain+areas+soil] = 1, 1
		y[row-lo] = float32(g.class(key, &z, area, soil))
	}
}

// level cuts a number of about unit variance into n levels.
func level(z float64, n int) int {
	return min(max(int((z+2.5)/5*float64(n)), 0), n-1)
}

// class returns the class with the highest score, noise included.
func (g *covertype) class(key uint64, z *[terrain]float64, area, soil int) int {
	best, at := math.Inf(-1), 0
	for k := range classes {
		weight := func(what uint64) float64 { return bell(rng.Draw(g.shape, uint64(k)<<32|what)) }
		s := classBias[k] - float64(math.Abs(z[0]-float64(0.8*weight(0)))*1.2)
		for f := 1; f < terrain; f++ {
			s += float64(0.3 * weight(uint64(f)) * z[f])
		}
		s += float64(0.5 * weight(100) * z[3] * z[5])
		s += float64(0.5*weight(200+uint64(area))) + float64(0.6*weight(300+uint64(soil)))
		s += float64(0.5 * bell(rng.Draw(key, noiseDraw+uint64(k))))
		if s > best {
			best, at = s, k
		}
	}
	return at
}

// wrongWidth is the error for a kind whose number of columns is fixed.
func wrongWidth(kind string, columns, want int) error {
	return fmt.Errorf("%d columns: a table of kind %s has %d", columns, kind, want)
}
