package scaling

import (
	"fmt"
	"io"
	"strings"
)

// The plot in pixels: two panels side by side, each with room for its axes.
const (
	panelWidth  = 360
	panelHeight = 260
	left        = 56
	bottom      = 44
	top         = 24
)

// Plot writes both lines as SVG: seconds by rows and by columns, on linear axes from 0.
// The dashed line is what the largest table would make of a cost in proportion.
func (r *Record) Plot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", 2*panelWidth, panelHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", 2*panelWidth, panelHeight)
	panel(&b, 0, "rows", r.ByRows, func(p Point) int { return p.Rows })
	panel(&b, panelWidth, "columns", r.ByCols, func(p Point) int { return p.Columns })
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func panel(b *strings.Builder, from int, name string, points []Point, at func(Point) int) {
	if len(points) == 0 {
		return
	}
	last := points[len(points)-1]
	tallest := 0.0
	for _, p := range points {
		tallest = max(tallest, p.Seconds)
	}
	width, height := float64(panelWidth-left-20), float64(panelHeight-bottom-top)
	x := func(v int) float64 { return float64(from+left) + width*float64(v)/float64(at(last)) }
	y := func(seconds float64) float64 { return top + height - height*seconds/tallest }

	fmt.Fprintf(b, `<path d="M%.1f %d V%.1f H%.1f" fill="none" stroke="black"/>`+"\n", x(0), top, y(0), x(at(last)))
	fmt.Fprintf(b, `<path d="M%.1f %.1f L%.1f %.1f" stroke="gray" stroke-dasharray="4 3"/>`+"\n", x(0), y(0), x(at(last)), y(last.Seconds))
	fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x(at(last)/2), panelHeight-8, name)
	fmt.Fprintf(b, `<text x="%.1f" y="%d">seconds</text>`+"\n", x(0)-30, top-10)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%.2f</text>`+"\n", x(0)-4, y(tallest)+4, tallest)
	var line []string
	for i, p := range points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", x(at(p)), y(p.Seconds)))
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3"/>`+"\n", x(at(p)), y(p.Seconds))
		if i >= len(points)-3 { // the smaller ones lie too close for words
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>`+"\n", x(at(p)), y(0)+16, at(p))
		}
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="steelblue" stroke-width="2"/>`+"\n", strings.Join(line, " "))
}
