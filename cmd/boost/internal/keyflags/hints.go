package keyflags

import (
	"context"
	"log/slog"
	"slices"

	"boost/configs"
	"boost/internal/format"
)

// Command is the command at hand, as far as messages go by it.
type Command struct {
	Name      string
	HasConfig bool // settings are those of a config file
}

// Hint returns a message with its settings as flags of the command.
func (c *Command) Hint(text string) string {
	if c.HasConfig {
		return text
	}
	return configs.AsFlags(text, c.flagFor)
}

// flagFor returns the flag that gives a key a value, as a shell reads it, "" if the command has none.
func (c *Command) flagFor(key *configs.Key, value string) string {
	var flags []Flag
	switch c.Name {
	case "train":
		flags = slices.Concat(Train, Columns)
	case "inspect", "init":
		if flags = Columns; !slices.Contains(Reading, key.Name) && !slices.Contains(Types, key.Name) {
			return ""
		}
	case "predict":
		flags = []Flag{{Name: "id", Key: "data.id"}}
	}
	for _, f := range flags {
		if f.Key == key.Name {
			return "--" + f.Name + " " + format.Pasted(value)
		}
	}
	return "--set " + format.Pasted(key.Name+"="+value)
}

// Handler returns a handler that turns the settings in messages into flags of a command.
func Handler(h slog.Handler, c *Command) slog.Handler { return handler{h, c} }

// handler turns the settings in messages into flags.
type handler struct {
	slog.Handler
	command *Command
}

// Handle hands the message on.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	said := slog.NewRecord(r.Time, r.Level, h.command.Hint(r.Message), r.PC)
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Value.Kind() == slog.KindString {
			attr.Value = slog.StringValue(h.command.Hint(attr.Value.String()))
		}
		said.AddAttrs(attr)
		return true
	})
	return h.Handler.Handle(ctx, said)
}

// WithAttrs returns a handler that adds the attributes to every message.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.command}
}
