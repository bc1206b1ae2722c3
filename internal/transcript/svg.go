package main

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Sizes of the picture, in pixels.
const (
	letterWidth = 8.4
	lineHeight  = 19
	margin      = 16
	fontSize    = 14
)

// draw draws text as a terminal shows it: the command bright, the rest less so.
func draw(text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	widest := 0
	for _, line := range lines {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	width, height := 2*margin+int(letterWidth*float64(widest)), 2*margin+lineHeight*len(lines)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d">`+"\n", width, height, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#1b1f24"/>`+"\n")
	fmt.Fprintf(&b, `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="%d" xml:space="preserve">`+"\n", fontSize)
	for i, line := range lines {
		color := "#c9d1d9"
		if strings.HasPrefix(line, prompt) {
			color = "#7ee787"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
			margin, margin+fontSize+lineHeight*i, color, int(letterWidth*float64(utf8.RuneCountInString(line))), html.EscapeString(line))
	}
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}
