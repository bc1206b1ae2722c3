package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Colours of the words before a message.
const (
	red    = 31
	yellow = 33
	faint  = 2
)

// newHandler returns the handler for messages: JSON, one object a line, or text for people.
func newHandler(s *screen, format string, level slog.Level) slog.Handler {
	if format == "json" {
		return slog.NewJSONHandler(s, &slog.HandlerOptions{Level: level})
	}
	return &textHandler{screen: s, level: level}
}

// textHandler writes a message as a person would: the sentence, then its
// attributes, and a word before it where something is wrong.
type textHandler struct {
	screen *screen
	level  slog.Level
	attrs  []slog.Attr
}

// Enabled reports whether messages of the level are shown.
func (h *textHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle writes one message.
func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString(h.screen.paint(red, "error:") + " ")
	case r.Level >= slog.LevelWarn:
		b.WriteString(h.screen.paint(yellow, "warning:") + " ")
	}
	b.WriteString(printable(r.Message))
	var attrs []string
	add := func(a slog.Attr) bool {
		key := a.Key
		if key == "reason" {
			key = "because"
		}
		attrs = append(attrs, printable(fmt.Sprintf("%s %v", key, a.Value)))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	if len(attrs) > 0 {
		b.WriteString(h.screen.paint(faint, " ("+strings.Join(attrs, ", ")+")"))
	}
	b.WriteByte('\n')
	_, err := h.screen.Write([]byte(b.String()))
	return err
}

// WithAttrs returns a handler that adds the attributes to every message.
func (h *textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append(append([]slog.Attr(nil), h.attrs...), attrs...)
	return &c
}

// WithGroup returns the handler itself: messages for people have no groups.
func (h *textHandler) WithGroup(string) slog.Handler { return h }
