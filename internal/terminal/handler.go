package terminal

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"boost/internal/format"
)

// Colours of the words before a message.
const (
	red    = 31
	yellow = 33
	faint  = 2
)

// NewHandler returns the handler for messages: JSON, one object a line, or text for people.
func NewHandler(t *Terminal, format string, level slog.Level) slog.Handler {
	if format == "json" {
		return slog.NewJSONHandler(t, &slog.HandlerOptions{Level: level})
	}
	return &textHandler{w: t, paint: t.paint, level: level}
}

// NewFileHandler returns the handler for a file of messages, with the time of each.
func NewFileHandler(w io.Writer, format string, level slog.Level) slog.Handler {
	if format == "json" {
		return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})
	}
	return &textHandler{w: w, paint: func(_ int, text string) string { return text }, level: level, stamped: true}
}

// textHandler writes a message as a person would: the sentence, then its
// attributes, and a word before it where something is wrong.
type textHandler struct {
	w       io.Writer
	paint   func(code int, text string) string
	level   slog.Level
	stamped bool // with the time
	attrs   []slog.Attr
}

// Enabled reports whether messages of the level are shown.
func (h *textHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle writes one message.
func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if h.stamped {
		b.WriteString(r.Time.Format(time.DateTime) + " ")
	}
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString(h.paint(red, "error:") + " ")
	case r.Level >= slog.LevelWarn:
		b.WriteString(h.paint(yellow, "warning:") + " ")
	}
	b.WriteString(format.Printable(r.Message))
	var attrs []string
	add := func(a slog.Attr) bool {
		key := a.Key
		if key == "reason" {
			key = "because"
		}
		text := key + " " + a.Value.String()
		switch kind := a.Value.Kind(); {
		case kind == slog.KindFloat64:
			text = key + " " + format.People(a.Value.Float64())
		case kind == slog.KindInt64 && key == "bytes":
			text = format.Bytes(a.Value.Int64())
		}
		attrs = append(attrs, format.Printable(text))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	if len(attrs) > 0 {
		b.WriteString(h.paint(faint, " ("+strings.Join(attrs, ", ")+")"))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(h.w, b.String())
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
