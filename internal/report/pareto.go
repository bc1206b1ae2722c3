package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"boost/ptq/compress"
)

// Size of the picture.
const (
	paretoWidth  = 18 * vg.Centimeter
	paretoHeight = 11 * vg.Centimeter
)

const font = "Liberation Sans"

var (
	blue   = color.RGBA{R: 70, G: 130, B: 180, A: 255}
	orange = color.RGBA{R: 208, G: 96, B: 16, A: 255}
	pale   = color.Gray{Y: 170}
	dark   = color.Gray{Y: 96}
)

// Search is what a picture of a search for a compressed model shows.
type Search struct {
	Candidates []compress.Candidate
	MaxBytes   int64   // 0: none
	MaxLoss    float64 // a share; NaN: none
}

// Pareto draws the candidates of a search as SVG: bytes of the file to the right, upwards what
// the metric loses in percent, with a whisker to what it stays below with 95 % confidence;
// without data what no raw score changes by more than. The line joins those that no other
// candidate beats in both. The same candidates give the same bytes.
func Pareto(w io.Writer, s Search) error {
	if len(s.Candidates) == 0 {
		return errors.New("no candidates to draw")
	}
	p, legend, err := s.plot()
	if err != nil {
		return err
	}
	canvas := vgsvg.New(paretoWidth, paretoHeight)
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: paretoWidth, Y: paretoHeight}}.Path())
	whole := draw.Crop(draw.New(canvas), 2*vg.Millimeter, -4*vg.Millimeter, 2*vg.Millimeter, -3*vg.Millimeter)
	legend.Draw(draw.Crop(whole, 8*vg.Millimeter, 0, 0, 0))
	p.Draw(draw.Crop(whole, 0, 0, 0, -legend.Rectangle(whole).Size().Y-2*vg.Millimeter))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Where the font is not installed, one without serifs is to take its place.
	_, err = w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:"+font+";"), []byte("font-family:"+font+", Arial, sans-serif;")))
	return err
}

// plot returns the picture and, to stand above it, what its lines mean.
func (s *Search) plot() (*plot.Plot, *plot.Legend, error) {
	p, legend := plot.New(), plot.NewLegend()
	measured := !math.IsNaN(s.Candidates[0].Loss)
	height := func(c *compress.Candidate) float64 { return c.RawBound }
	p.X.Label.Text, p.Y.Label.Text = "bytes of the file", "raw scores change by at most"
	if measured {
		height = func(c *compress.Candidate) float64 { return 100 * c.Loss }
		p.Y.Label.Text = "loss of the metric, %"
	}
	var all, best plotter.XYs
	var whiskers bounds
	var chosen *compress.Candidate
	for i := range s.Candidates {
		c := &s.Candidates[i]
		at := plotter.XY{X: float64(c.Bytes), Y: height(c)}
		if math.IsNaN(at.Y) || math.IsInf(at.Y, 0) {
			continue
		}
		all = append(all, at)
		if measured && c.Bound > c.Loss && !math.IsInf(c.Bound, 0) {
			whiskers = append(whiskers, bound{at, 100 * c.Bound})
		}
		if c.Best {
			best = append(best, at)
		}
		if c.Chosen {
			chosen = c
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.New("no candidate has a loss that can be drawn")
	}
	slices.SortStableFunc(best, func(a, b plotter.XY) int { return int(math.Copysign(1, a.X-b.X)) })
	scale := scaleOf(all, measured)
	p.Y.Tick.Marker = scale
	for _, points := range []plotter.XYs{all, best} {
		for i := range points {
			points[i].Y = scale.place(points[i].Y)
		}
	}
	for i := range whiskers {
		whiskers[i].Y, whiskers[i].high = scale.place(whiskers[i].Y), scale.place(whiskers[i].high)
	}
	p.X.Tick.Marker = plot.TickerFunc(byteTicks)

	points, err := plotter.NewScatter(all)
	if err != nil {
		return nil, nil, err
	}
	points.Shape, points.Radius, points.Color = draw.CircleGlyph{}, vg.Points(2), pale
	p.Add(plotter.NewGrid(), whiskers, points)
	legend.Add("candidates", points)
	if len(best) > 0 {
		line, marks, err := plotter.NewLinePoints(best)
		if err != nil {
			return nil, nil, err
		}
		line.Color, line.Width = blue, vg.Points(1.5)
		marks.Shape, marks.Radius, marks.Color = draw.CircleGlyph{}, vg.Points(2.5), blue
		p.Add(line, marks)
		legend.Add("none smaller loses less", line, marks)
	}
	p.X.Min, p.X.Max = 0, p.X.Max*1.04
	if chosen != nil {
		ring, err := plotter.NewScatter(plotter.XYs{{X: float64(chosen.Bytes), Y: scale.place(height(chosen))}})
		if err != nil {
			return nil, nil, err
		}
		ring.Shape, ring.Radius, ring.Color = draw.RingGlyph{}, vg.Points(5), orange
		p.Add(ring)
		legend.Add("chosen: "+chosen.Name(), ring)
	}
	if err := s.limits(p, &legend, scale); err != nil {
		return nil, nil, err
	}
	legend.Top, legend.Left, legend.Padding, legend.ThumbnailWidth = true, true, vg.Millimeter, vg.Centimeter
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	return p, &legend, nil
}

// limits draws what was asked for.
func (s *Search) limits(p *plot.Plot, legend *plot.Legend, scale signed) error {
	add := func(from, to plotter.XY, name string) error {
		line, err := plotter.NewLine(plotter.XYs{from, to})
		if err != nil {
			return err
		}
		line.Color, line.Dashes = dark, []vg.Length{vg.Points(4), vg.Points(3)}
		p.Add(line)
		legend.Add(name, line)
		return nil
	}
	if s.MaxBytes > 0 && float64(s.MaxBytes) <= p.X.Max {
		x := float64(s.MaxBytes)
		if err := add(plotter.XY{X: x, Y: p.Y.Min}, plotter.XY{X: x, Y: p.Y.Max}, fmt.Sprintf("at most %d bytes", s.MaxBytes)); err != nil {
			return err
		}
	}
	if scale.signs && s.MaxLoss >= 0 {
		y := scale.place(100 * s.MaxLoss)
		return add(plotter.XY{X: p.X.Min, Y: y}, plotter.XY{X: p.X.Max, Y: y}, fmt.Sprintf("at most %.4g %%", 100*s.MaxLoss))
	}
	return nil
}

// bound is a candidate and the upper end of its whisker.
type bound struct {
	plotter.XY
	high float64
}

// bounds draws whiskers.
type bounds []bound

// Plot implements plot.Plotter.
func (b bounds) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: pale, Width: vg.Points(0.75)}
	for _, w := range b {
		c.StrokeLine2(style, x(w.X), y(w.Y), x(w.X), y(min(w.high, p.Y.Max)))
	}
}

// signed is a scale that is linear between −near and near and logarithmic beyond, so that
// losses of a hundredth and of hundreds of percent have room in one picture.
type signed struct {
	near  float64
	signs bool // of losses; raw scores change by amounts
}

// scaleOf chooses near: a tenth of a percent, for raw scores a hundredth of the largest.
func scaleOf(all plotter.XYs, measured bool) signed {
	if measured {
		return signed{0.1, true}
	}
	most := 0.0
	for _, at := range all {
		most = max(most, at.Y)
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

// Ticks implements plot.Ticker between two places: 0, the powers of ten from near on, and where
// those are too few, halves of near.
func (s signed) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	add := func(v float64) {
		if at := s.place(v); at >= lo && at <= hi+1e-9 {
			ticks = append(ticks, plot.Tick{Value: at, Label: s.text(v)})
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

// byteTicks are the default ticks, in kilobytes where they are thousands.
func byteTicks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label == "" {
			continue
		}
		ticks[i].Label = fmt.Sprintf("%.6g", ticks[i].Value)
		switch {
		case hi >= 1e6:
			ticks[i].Label = fmt.Sprintf("%.4g MB", ticks[i].Value/1e6)
		case hi >= 1e4:
			ticks[i].Label = fmt.Sprintf("%.4g kB", ticks[i].Value/1e3)
		}
	}
	return ticks
}
