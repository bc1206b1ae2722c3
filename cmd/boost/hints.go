package main

import (
	"context"
	"log/slog"
	"slices"

	"boost/configs"
)

// hint returns a message with its settings as flags of the command at hand.
func (a *app) hint(text string) string {
	if a.hasConfig {
		return text
	}
	return configs.AsFlags(text, a.flagFor)
}

// flagFor returns the flag that gives a key a value, as a shell reads it, "" if the command has none.
func (a *app) flagFor(key *configs.Key, value string) string {
	var flags []keyFlag
	switch a.command {
	case "train":
		flags = slices.Concat(trainKeyFlags, columnFlags)
	case "inspect", "init":
		if flags = columnFlags; !slices.Contains(readingKeys, key.Name) && !slices.Contains(typeKeys, key.Name) {
			return ""
		}
	case "predict":
		flags = []keyFlag{{name: "id", key: "data.id"}}
	}
	for _, f := range flags {
		if f.key == key.Name {
			return "--" + f.name + " " + pasted(value)
		}
	}
	return "--set " + pasted(key.Name+"="+value)
}

// hintHandler turns the settings in messages into flags.
type hintHandler struct {
	slog.Handler
	app *app
}

// Handle hands the message on.
func (h hintHandler) Handle(ctx context.Context, r slog.Record) error {
	said := slog.NewRecord(r.Time, r.Level, h.app.hint(r.Message), r.PC)
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Value.Kind() == slog.KindString {
			attr.Value = slog.StringValue(h.app.hint(attr.Value.String()))
		}
		said.AddAttrs(attr)
		return true
	})
	return h.Handler.Handle(ctx, said)
}

// WithAttrs returns a handler that adds the attributes to every message.
func (h hintHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return hintHandler{h.Handler.WithAttrs(attrs), h.app}
}
