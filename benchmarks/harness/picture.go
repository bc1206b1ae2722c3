package harness

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of pictures: what was measured, and lines to compare it with.
var (
	Blue = color.RGBA{R: 70, G: 130, B: 180, A: 255}
	Gray = color.Gray{Y: 128}
)

// Dashes are those of lines to compare with.
var Dashes = []vg.Length{vg.Points(4), vg.Points(3)}

// NewPlot returns a plot whose axes have these labels.
func NewPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	return p
}

// WriteSVG draws plots side by side on white.
func WriteSVG(w io.Writer, width, height vg.Length, plots ...*plot.Plot) error {
	canvas := vgsvg.New(width, height)
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: width, Y: height}}.Path())
	if len(plots) == 1 {
		plots[0].Draw(draw.New(canvas))
	} else {
		tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Centimeter / 2, PadTop: vg.Millimeter, PadRight: 3 * vg.Millimeter}
		for i, c := range plot.Align([][]*plot.Plot{plots}, tiles, draw.New(canvas))[0] {
			plots[i].Draw(c)
		}
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Where the font is not installed, one without serifs is to take its place.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans, Arial, sans-serif;")))
	return err
}
