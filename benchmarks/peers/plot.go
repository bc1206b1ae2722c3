package peers

import (
	"errors"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"boost/benchmarks/harness"
)

// linesAt are the ratios that lines are drawn at: as fast, and the mean that is the target.
var linesAt = []float64{1, Mean}

var errNothing = errors.New("no set has a ratio to draw")

// Plot draws by how much boost is faster than LightGBM's best way with two threads, over rows ×
// features, as SVG. Both axes are logarithmic; generated shapes are hollow.
func (r *Record) Plot(w io.Writer) error {
	p := harness.NewPlot("rows × features", "LightGBM's best seconds by boost's, 2 threads")
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0.5, Label: "0.5"}, {Value: 1, Label: "1"}, {Value: 1.5, Label: "1.5"}, {Value: 2, Label: "2"},
		{Value: 3, Label: "3"}, {Value: 5, Label: "5"}, {Value: 10, Label: "10"}, {Value: 20, Label: "20"}, {Value: 50, Label: "50"}}
	drawn := 0
	for _, generated := range []bool{false, true} {
		n, err := scatter(p, r.shown(generated), generated)
		if err != nil {
			return err
		}
		drawn += n
	}
	if drawn == 0 {
		return errNothing
	}
	p.X.Min, p.X.Max = p.X.Min/1.5, p.X.Max*4 // room for names
	p.Y.Min, p.Y.Max = min(p.Y.Min/1.2, 0.9), max(p.Y.Max*1.2, 4)
	for _, at := range linesAt {
		line, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: at}, {X: p.X.Max, Y: at}})
		if err != nil {
			return err
		}
		line.Color, line.Dashes = harness.Gray, harness.Dashes
		p.Add(line)
	}
	return harness.WriteSVG(w, 22*vg.Centimeter, 13*vg.Centimeter, p)
}

// scatter adds the results that have a ratio, with their names, and returns how many there are.
func scatter(p *plot.Plot, results []*Result, generated bool) (int, error) {
	var points plotter.XYLabels
	for _, s := range results {
		ratios := s.ratios()
		if ratios.light[0] > 0 && s.cells() > 0 {
			points.XYs = append(points.XYs, plotter.XY{X: s.cells(), Y: ratios.light[0]})
			points.Labels = append(points.Labels, s.Name)
		}
	}
	if len(points.XYs) == 0 {
		return 0, nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return 0, err
	}
	marks.Color, marks.Radius, marks.Shape = harness.Blue, vg.Points(2.5), draw.CircleGlyph{}
	if generated {
		marks.Shape = draw.RingGlyph{}
	}
	labels, err := plotter.NewLabels(points)
	if err != nil {
		return 0, err
	}
	labels.Offset = vg.Point{X: vg.Points(4), Y: vg.Points(-2)}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Variant, labels.TextStyle[i].Font.Size = "Sans", vg.Points(7)
	}
	p.Add(marks, labels)
	return len(points.XYs), nil
}
