package scaling

import (
	"bytes"
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const font = "Liberation Sans"

// The size of the plot: two panels side by side.
const (
	plotWidth  = 18 * vg.Centimeter
	plotHeight = 7 * vg.Centimeter
)

// Plot writes both lines as SVG: seconds by rows and by columns, on linear axes from 0.
// The dashed line is what the largest table would make of a cost in proportion.
func (r *Record) Plot(w io.Writer) error {
	byRows, err := panel("rows", r.ByRows, func(p Point) int { return p.Rows })
	if err != nil {
		return err
	}
	byColumns, err := panel("columns", r.ByCols, func(p Point) int { return p.Columns })
	if err != nil {
		return err
	}
	canvas := vgsvg.New(plotWidth, plotHeight)
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: plotWidth, Y: plotHeight}}.Path())
	panels := [][]*plot.Plot{{byRows, byColumns}}
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter / 2, PadTop: vg.Millimeter, PadRight: 3 * vg.Millimeter}
	for i, c := range plot.Align(panels, tiles, draw.New(canvas))[0] {
		panels[0][i].Draw(c)
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Where the font is not installed, one without serifs is to take its place.
	_, err = w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:"+font+";"), []byte("font-family:"+font+", Arial, sans-serif;")))
	return err
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
	line.Color, line.Width = color.RGBA{R: 70, G: 130, B: 180, A: 255}, vg.Points(1.5)
	marks.Shape, marks.Radius = draw.CircleGlyph{}, vg.Points(2)
	inProportion, err := plotter.NewLine(plotter.XYs{{}, sizes[len(sizes)-1]})
	if err != nil {
		return nil, err
	}
	inProportion.Color, inProportion.Dashes = color.Gray{Y: 128}, []vg.Length{vg.Points(4), vg.Points(3)}

	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = name, "seconds"
	p.X.Min, p.Y.Min = 0, 0
	p.X.Padding, p.Y.Padding = 0, 0 // the axes meet
	p.X.Tick.Marker = ticks
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	p.Add(inProportion, line, marks)
	return p, nil
}
