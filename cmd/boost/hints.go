package main

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"boost/configs"
)

// What packages say to do about an error is a setting, as a config has it: set categorical = ["age"].
// Without a config it is said as the flags to type.
var (
	quotedText = `"(?:[^"\\]|\\.)*"`
	addMissing = regexp.MustCompile(`\badd (` + quotedText + `) to missing = \[…\]`)
	setting    = regexp.MustCompile(`\b(set|or|and|with|give) ((?:[a-z]+\.)?[a-z][a-z_0-9]*) = (` + quotedText + `(?: or ` + quotedText + `)*|\[(?:` + quotedText + `(?:, )?)*\]|\{[^}]*\}|[\w.+-]*\w)`)
)

// hint returns a message with its settings as flags of the command at hand.
func (a *app) hint(text string) string {
	if a.hasConfig || !strings.Contains(text, " = ") {
		return text
	}
	text = addMissing.ReplaceAllString(text, `set missing = [$1]`)
	return setting.ReplaceAllStringFunc(text, func(found string) string {
		parts := setting.FindStringSubmatch(found)
		word, written, value := parts[1], parts[2], parts[3]
		key, ok := configs.Lookup(written)
		if !ok {
			return found
		}
		if word == "set" {
			word = "give"
		}
		var flags []string
		for one := range strings.SplitSeq(value, `" or "`) {
			if value != one {
				one = `"` + strings.Trim(one, `"`) + `"`
			}
			flags = append(flags, a.flagFor(&key, one))
		}
		return word + " " + strings.Join(flags, " or ")
	})
}

// flagFor returns the flag that gives a key a value, as a shell reads it. The value is TOML.
func (a *app) flagFor(key *configs.Key, value string) string {
	value = key.Assigned(value)
	flags := columnFlags
	if a.command == "train" {
		flags = slices.Concat(trainKeyFlags, columnFlags)
	} else if a.command != "inspect" && a.command != "init" {
		flags = nil
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
