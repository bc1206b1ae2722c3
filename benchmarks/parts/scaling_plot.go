package parts

import (
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"boost/benchmarks/harness"
)

// Plot writes both lines as SVG: seconds by rows and by columns, on linear axes from 0.
// The dashed line is what the largest table would make of a cost in proportion.
func (r *Scaling) Plot(w io.Writer) error {
	byRows, err := panel("rows", r.ByRows, func(p Point) int { return p.Rows })
	if err != nil {
		return err
	}
	byColumns, err := panel("columns", r.ByCols, func(p Point) int { return p.Columns })
	if err != nil {
		return err
	}
	return harness.WriteSVG(w, 18*vg.Centimeter, 7*vg.Centimeter, byRows, byColumns)
}

// panel draws the seconds of the points over their sizes.
func panel(name string, points []Point, at func(Point) int) (*plot.Plot, error) {
	sizes := make(plotter.XYs, len(points))
	var ticks plot.ConstantTicks
	for i, p := range points {
		sizes[i] = plotter.XY{X: float64(at(p)), Y: p.Seconds}
		tick := plot.Tick{Value: sizes[i].X}
		if i >= len(points)-3 { // the smaller ones lie too close for words
			tick.Label = strconv.Itoa(at(p))
		}
		ticks = append(ticks, tick)
	}
	line, marks, err := plotter.NewLinePoints(sizes)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = harness.Blue, vg.Points(1.5)
	marks.Shape, marks.Radius = draw.CircleGlyph{}, vg.Points(2)
	inProportion, err := plotter.NewLine(plotter.XYs{{}, sizes[len(sizes)-1]})
	if err != nil {
		return nil, err
	}
	inProportion.Color, inProportion.Dashes = harness.Gray, harness.Dashes

	p := harness.NewPlot(name, "seconds")
	p.X.Min, p.Y.Min = 0, 0
	p.X.Padding, p.Y.Padding = 0, 0 // the axes meet
	p.X.Tick.Marker = ticks
	p.Add(inProportion, line, marks)
	return p, nil
}
