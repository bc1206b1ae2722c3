package report

import (
	"bytes"
	"fmt"
	"html"
)

// Colours of pictures.
const (
	blue   = "#4682b4"
	orange = "#d06010"
	pale   = "#aaaaaa"
	dark   = "#606060"
	grid   = "#dddddd"
)

// drawing is an SVG picture while it is drawn. The same calls give the same bytes.
type drawing struct{ bytes.Buffer }

// begin begins a picture of so many pixels.
func (d *drawing) begin(width, height int) {
	d.addf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="13">`, width, height)
	d.addf(`<rect width="100%%" height="100%%" fill="white"/>`)
}

func (d *drawing) ring(x, y float64) {
	d.addf(`<circle cx="%.1f" cy="%.1f" r="6.5" fill="none" stroke="%s" stroke-width="2"/>`, x, y, orange)
}

func (d *drawing) dot(x, y, radius float64, color string) {
	d.addf(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`, x, y, radius, color)
}

func (d *drawing) line(x1, y1, x2, y2 float64, color string, width int, dashes string) {
	if dashes != "" {
		dashes = ` stroke-dasharray="` + dashes + `"`
	}
	d.addf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%d"%s/>`, x1, y1, x2, y2, color, width, dashes)
}

func (d *drawing) text(x, y float64, anchor, text string) {
	d.addf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(text))
}

// addf adds an element.
func (d *drawing) addf(element string, args ...any) { fmt.Fprintf(d, element+"\n", args...) }
