package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"boost/internal/format"
	"boost/ptq/compress"
)

// Sizes of the picture, in pixels.
const (
	paretoWidth  = 720
	paretoHeight = 440
	legendLine   = 20
	paretoLeft   = 90 // of the frame
	paretoRight  = paretoWidth - 16
	paretoBottom = paretoHeight - 52
	pointSpace   = 8 // between the frame and the outermost points
)

// Search is what a picture of a search for a compressed model shows.
type Search struct {
	Candidates []compress.Candidate
	MaxBytes   int64   // 0: none
	MaxLoss    float64 // a share; NaN: none
}

// paretoPoint is a candidate in the picture.
type paretoPoint struct {
	x, y float64
	high float64 // upper end of its whisker; y for none
	*compress.Candidate
}

// pareto is a picture while it is drawn.
type pareto struct {
	drawing
	scale          signed
	top            float64 // of the frame
	right, lo, hi  float64 // bytes at the right side, and places at both ends of the scale
	legends        int
	points         []paretoPoint
	measured       bool
	maxBytes, loss float64 // limits; NaN: none
}

// Pareto draws the candidates of a search as SVG: bytes of the file to the right, upwards what
// the metric loses in percent, with a whisker to what it stays below with 95 % confidence;
// without data what no raw score changes by more than. The line joins those that no other
// candidate beats in both. The same candidates give the same bytes.
func Pareto(w io.Writer, s Search) error {
	if len(s.Candidates) == 0 {
		return errors.New("no candidates to draw")
	}
	p := &pareto{measured: !math.IsNaN(s.Candidates[0].Loss), maxBytes: math.NaN(), loss: math.NaN()}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		at := paretoPoint{x: float64(c.Bytes), y: c.RawBound, Candidate: c}
		if p.measured {
			at.y = 100 * c.Loss
		}
		if at.high = at.y; p.measured && c.Bound > c.Loss && !math.IsInf(c.Bound, 0) {
			at.high = 100 * c.Bound
		}
		if !math.IsNaN(at.y) && !math.IsInf(at.y, 0) {
			p.points = append(p.points, at)
			p.right = max(p.right, 1.04*at.x)
		}
	}
	if len(p.points) == 0 {
		return errors.New("no candidate has a loss that can be drawn")
	}
	if s.MaxBytes > 0 && float64(s.MaxBytes) <= p.right {
		p.maxBytes = float64(s.MaxBytes)
	}
	if p.measured && s.MaxLoss >= 0 {
		p.loss = 100 * s.MaxLoss
	}
	p.draw()
	_, err := w.Write(p.Bytes())
	return err
}

// draw draws the whole picture.
func (p *pareto) draw() {
	p.scale = scaleOf(p.points, p.measured)
	p.lo, p.hi = math.Inf(1), math.Inf(-1)
	for _, at := range p.points {
		p.lo, p.hi = min(p.lo, p.scale.place(at.y)), max(p.hi, p.scale.place(at.y))
	}
	if !math.IsNaN(p.loss) {
		p.lo, p.hi = min(p.lo, p.scale.place(p.loss)), max(p.hi, p.scale.place(p.loss))
	}
	if p.lo == p.hi {
		p.lo, p.hi = p.lo-1, p.hi+1
	}
	var best, chosen []paretoPoint
	for _, at := range p.points {
		if at.Best {
			best = append(best, at)
		}
		if at.Chosen {
			chosen = append(chosen, at)
		}
	}
	slices.SortStableFunc(best, func(a, b paretoPoint) int { return cmp.Compare(a.x, b.x) })

	p.begin(paretoWidth, paretoHeight)
	p.legend("candidates", func(x, y float64) { p.dot(x, y, 2.7, pale) })
	if len(best) > 0 {
		p.legend("no smaller candidate loses less", func(x, y float64) {
			p.line(x-18, y, x+18, y, blue, 2, "")
			p.dot(x, y, 3.3, blue)
		})
	}
	for _, at := range chosen {
		p.legend("chosen: "+at.Name(), p.ring)
	}
	dashed := func(x, y float64) { p.line(x-18, y, x+18, y, dark, 1, "5,4") }
	if !math.IsNaN(p.maxBytes) {
		p.legend("at most "+format.Count(int(p.maxBytes))+" bytes", dashed)
	}
	if !math.IsNaN(p.loss) {
		p.legend(fmt.Sprintf("at most %.4g %%", p.loss), dashed)
	}
	p.top = float64(16 + legendLine*p.legends)
	p.axes()
	for _, at := range p.points {
		if high := min(p.scale.place(at.high), p.hi); high > p.scale.place(at.y) {
			p.line(p.x(at.x), p.y(at.y), p.x(at.x), p.place(high), pale, 1, "")
		}
	}
	for _, at := range p.points {
		p.dot(p.x(at.x), p.y(at.y), 2.7, pale)
	}
	for i, at := range best {
		if i > 0 {
			p.line(p.x(best[i-1].x), p.y(best[i-1].y), p.x(at.x), p.y(at.y), blue, 2, "")
		}
		p.dot(p.x(at.x), p.y(at.y), 3.3, blue)
	}
	for _, at := range chosen {
		p.ring(p.x(at.x), p.y(at.y))
	}
	if !math.IsNaN(p.maxBytes) {
		p.line(p.x(p.maxBytes), p.top, p.x(p.maxBytes), paretoBottom, dark, 1, "5,4")
	}
	if !math.IsNaN(p.loss) {
		p.line(paretoLeft, p.y(p.loss), paretoRight, p.y(p.loss), dark, 1, "5,4")
	}
	p.addf(`</svg>`)
}

// axes draws the frame, its grid and what it is labelled with.
func (p *pareto) axes() {
	unit, step := byteSteps(p.right)
	for v := 0.0; v <= p.right; v += step {
		p.line(p.x(v), p.top, p.x(v), paretoBottom, grid, 1, "")
		p.text(p.x(v), paretoBottom+18, "middle", unit(v))
	}
	for _, v := range p.scale.ticks(p.lo, p.hi) {
		p.line(paretoLeft, p.y(v), paretoRight, p.y(v), grid, 1, "")
		p.text(paretoLeft-7, p.y(v)+4.5, "end", p.scale.text(v))
	}
	p.line(paretoLeft, p.top, paretoLeft, paretoBottom, dark, 1, "")
	p.line(paretoLeft, paretoBottom, paretoRight, paretoBottom, dark, 1, "")
	p.text((paretoLeft+paretoRight)/2, paretoHeight-12, "middle", "size of the file")
	upwards := "raw scores change by at most"
	if p.measured {
		upwards = "loss of the metric, %"
	}
	p.addf(`<text transform="translate(20,%.1f) rotate(-90)" text-anchor="middle">%s</text>`, (p.top+paretoBottom)/2, upwards)
}

// x is where a number of bytes stands in the picture.
func (p *pareto) x(bytes float64) float64 {
	return paretoLeft + (paretoRight-paretoLeft)*bytes/p.right
}

// y is where a loss or a change of scores stands.
func (p *pareto) y(v float64) float64 { return p.place(p.scale.place(v)) }

func (p *pareto) place(at float64) float64 {
	return paretoBottom - pointSpace - (paretoBottom-pointSpace-p.top-pointSpace)*(at-p.lo)/(p.hi-p.lo)
}

// legend says what a mark means; mark draws it around a place.
func (p *pareto) legend(text string, mark func(x, y float64)) {
	y := float64(18 + legendLine*p.legends)
	p.legends++
	mark(paretoLeft+18, y)
	p.text(paretoLeft+46, y+4.5, "start", text)
}

// byteSteps returns the step between ticks up to a number of bytes, four to nine of them, and how
// they are written.
func byteSteps(most float64) (unit func(v float64) string, step float64) {
	step = math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.1, 0.2, 0.5} {
		if most/(part*step) < 10 {
			step *= part
			break
		}
	}
	by, name := 1.0, "bytes"
	switch {
	case most >= 1e6:
		by, name = 1e6, "MB"
	case most >= 1e4:
		by, name = 1e3, "kB"
	}
	return func(v float64) string {
		if v == 0 {
			return "0"
		}
		return fmt.Sprintf("%.6g %s", v/by, name)
	}, step
}

// signed is a scale that is linear between −near and near and logarithmic beyond, so that
// losses of a hundredth and of hundreds of percent have room in one picture.
type signed struct {
	near  float64
	signs bool // of losses; raw scores change by amounts
}

// scaleOf chooses near: a tenth of a percent, for raw scores a hundredth of the largest.
func scaleOf(all []paretoPoint, measured bool) signed {
	if measured {
		return signed{0.1, true}
	}
	most := 0.0
	for _, at := range all {
		most = max(most, at.y)
	}
	if most == 0 {
		return signed{near: 1}
	}
	return signed{near: math.Pow(10, math.Floor(math.Log10(most))-2)}
}

// place maps a value so that a decade beyond near is as long as near itself.
func (s signed) place(v float64) float64 {
	if a := math.Abs(v) / s.near; a > 1 {
		return math.Copysign(1+math.Log10(a), v)
	}
	return v / s.near
}

// ticks returns the values to label between two places: 0, the powers of ten from near on, and
// where those are too few, halves of near.
func (s signed) ticks(lo, hi float64) []float64 {
	var ticks []float64
	add := func(v float64) {
		if at := s.place(v); at >= lo && at <= hi+1e-9 {
			ticks = append(ticks, v)
		}
	}
	add(0)
	for v, decades := s.near, max(hi, -lo); decades >= 1; v, decades = 10*v, decades-1 {
		add(v)
		add(-v)
	}
	if len(ticks) < 2 {
		add(s.near / 2)
		add(-s.near / 2)
	}
	return ticks
}

// text labels a tick.
func (s signed) text(v float64) string {
	if s.signs && v != 0 {
		return fmt.Sprintf("%+.4g", v)
	}
	return fmt.Sprintf("%.4g", v)
}
