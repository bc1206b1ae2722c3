package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"boost/booster/search/tune"
)

// Sizes of the picture of trials, in pixels.
const (
	trialsWidth  = 960
	trialsTop    = 44 // the legend
	panelHeight  = 240
	panelGap     = 84 // between panels, for labels
	panelsAcross = 3
)

// trialsPlot is a picture of trials while it is drawn.
type trialsPlot struct {
	drawing
	*tune.Result
	lo, hi float64 // of the metric
}

// frame is a panel of the picture: where it is, and the scale to the right.
type frame struct {
	left, top, right, bottom float64
	lo, hi                   float64
	log                      bool
}

// PlotTrials draws the trials of a search as SVG: the metric by the number of the trial, with the best so far, and by each
// dimension of the space. What is far worse than most trials lies at the edge. The same trials give the same bytes.
func PlotTrials(w io.Writer, r *tune.Result) error {
	p := &trialsPlot{Result: r}
	p.scale()
	lines := (len(r.Space) + panelsAcross - 1) / panelsAcross
	p.begin(trialsWidth, trialsTop+(1+lines)*(panelHeight+panelGap))
	x := float64(panelGap)
	for _, mark := range []struct{ color, text string }{{blue, "trials"}, {pale, "given up early"}, {orange, "the best so far"}} {
		p.dot(x, 22, 3.3, mark.color)
		p.text(x+12, 26.5, "start", mark.text)
		x += 150
	}
	all := p.frame(0, panelGap, trialsWidth-16)
	all.lo, all.hi = -0.5, float64(len(r.Trials))-0.5
	p.axes(&all, "trial", nil)
	p.history(&all)
	width := float64(trialsWidth-16) / panelsAcross
	for i := range r.Space {
		left := float64(i%panelsAcross) * width
		f := p.frame(1+i/panelsAcross, left+panelGap, left+width-4)
		p.dimension(&f, i)
	}
	p.addf(`</svg>`)
	_, err := w.Write(p.Bytes())
	return err
}

// scale chooses the bounds of the metric: those of the better three quarters of the trials, and of the first.
func (p *trialsPlot) scale() {
	var values []float64
	for i := range p.Trials {
		if v := p.Trials[i].Value; !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	if p.Higher {
		slices.Reverse(values)
	}
	kept := append(values[:(3*len(values)+3)/4:(3*len(values)+3)/4], p.Trials[0].Value)
	p.lo, p.hi = slices.Min(kept), slices.Max(kept)
	if p.lo == p.hi {
		p.lo, p.hi = p.lo-1, p.hi+1
	}
}

func (p *trialsPlot) frame(line int, left, right float64) frame {
	top := float64(trialsTop + line*(panelHeight+panelGap))
	return frame{left: left, top: top, right: right, bottom: top + panelHeight}
}

// x is where a value stands from left to right.
func (f *frame) x(v float64) float64 {
	lo, hi := f.lo, f.hi
	if f.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	return f.left + pointSpace + (f.right-f.left-2*pointSpace)*(v-lo)/(hi-lo)
}

// y is where a value of the metric stands.
func (p *trialsPlot) y(f *frame, v float64) float64 {
	share := max(0, min((v-p.lo)/(p.hi-p.lo), 1))
	return f.bottom - pointSpace - (f.bottom-f.top-2*pointSpace)*share
}

// axes draws a frame, its grid and labels; marks are the labels to the right, nil for numbers.
func (p *trialsPlot) axes(f *frame, name string, marks []string) {
	for _, v := range steps(p.lo, p.hi, 5) {
		p.line(f.left, p.y(f, v), f.right, p.y(f, v), grid, 1, "")
		p.text(f.left-7, p.y(f, v)+4.5, "end", strconv.FormatFloat(v, 'g', 6, 64))
	}
	for i, mark := range marks {
		p.text(f.x(float64(i)), f.bottom+18, "middle", mark)
	}
	if marks == nil {
		values := steps(f.lo, f.hi, 6)
		if f.log {
			values = decades(f.lo, f.hi)
		}
		for _, v := range values {
			p.line(f.x(v), f.top, f.x(v), f.bottom, grid, 1, "")
			p.text(f.x(v), f.bottom+18, "middle", strconv.FormatFloat(v, 'g', 6, 64))
		}
	}
	p.line(f.left, f.top, f.left, f.bottom, dark, 1, "")
	p.line(f.left, f.bottom, f.right, f.bottom, dark, 1, "")
	p.text((f.left+f.right)/2, f.bottom+40, "middle", name)
	p.addf(`<text transform="translate(%.1f,%.1f) rotate(-90)" text-anchor="middle">%s</text>`, f.left-66, (f.top+f.bottom)/2, p.Metric)
}

// history draws the trials by their number.
func (p *trialsPlot) history(f *frame) {
	best := math.NaN()
	from := 0.0
	for i := range p.Trials {
		t := &p.Trials[i]
		if p.mark(f, float64(i), t); t.State != tune.Complete {
			continue
		}
		if math.IsNaN(best) || p.Higher && t.Value > best || !p.Higher && t.Value < best {
			if !math.IsNaN(best) {
				p.line(f.x(from), p.y(f, best), f.x(float64(i)), p.y(f, best), orange, 2, "")
				p.line(f.x(float64(i)), p.y(f, best), f.x(float64(i)), p.y(f, t.Value), orange, 2, "")
			}
			best, from = t.Value, float64(i)
		}
	}
	p.line(f.x(from), p.y(f, best), f.right, p.y(f, best), orange, 2, "")
}

// dimension draws the trials by their value in a dimension.
func (p *trialsPlot) dimension(f *frame, i int) {
	d := &p.Space[i]
	if len(d.Choices) > 0 {
		f.lo, f.hi = -0.5, float64(len(d.Choices))-0.5
		p.axes(f, d.Name, d.Choices)
	} else {
		f.lo, f.hi, f.log = d.Low, d.High, d.Log
		p.axes(f, d.Name, nil)
	}
	for n := range p.Trials {
		t := &p.Trials[n]
		v, err := strconv.ParseFloat(t.Values[i], 64)
		if len(d.Choices) > 0 {
			v = float64(slices.Index(d.Choices, t.Values[i]))
		}
		if err == nil && v >= f.lo && v <= f.hi || len(d.Choices) > 0 && v >= 0 { // not what the search began with, outside
			p.mark(f, v, t)
		}
	}
	if best := &p.Trials[p.Best]; len(d.Choices) == 0 {
		if v, err := strconv.ParseFloat(best.Values[i], 64); err == nil && v >= f.lo && v <= f.hi {
			p.ring(f.x(v), p.y(f, best.Value))
		}
	} else if at := slices.Index(d.Choices, best.Values[i]); at >= 0 {
		p.ring(f.x(float64(at)), p.y(f, best.Value))
	}
}

// mark draws a trial.
func (p *trialsPlot) mark(f *frame, x float64, t *tune.Trial) {
	switch t.State {
	case tune.Complete:
		p.dot(f.x(x), p.y(f, t.Value), 3.3, blue)
	case tune.Pruned:
		p.dot(f.x(x), p.y(f, t.Value), 2.7, pale)
	}
}

// steps returns round numbers between two, about n.
func steps(lo, hi float64, n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, by := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*by) <= float64(n)+1 {
			step *= by
			break
		}
	}
	var values []float64
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		v, _ := strconv.ParseFloat(fmt.Sprintf("%.9g", i*step), 64)
		values = append(values, cmp.Or(v, 0)) // no −0
	}
	return values
}

// decades returns the powers of ten between two numbers, with their double and fivefold where they are few.
func decades(lo, hi float64) []float64 {
	parts := []float64{1}
	if hi/lo < 1000 {
		parts = []float64{1, 2, 5}
	}
	var values []float64
	for e := math.Floor(math.Log10(lo)); math.Pow(10, e) <= hi; e++ {
		for _, part := range parts {
			v, _ := strconv.ParseFloat(fmt.Sprintf("%.9g", part*math.Pow(10, e)), 64)
			if v >= lo && v <= hi {
				values = append(values, v)
			}
		}
	}
	return values
}
