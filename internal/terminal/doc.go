// Package terminal writes messages for people: coloured lines on standard error, and a progress bar
// below them.
//
// In: a writer, messages through slog, and the steps of a run. Out: text, or JSON lines. It must not
// know commands, nor what a message is about.
package terminal
