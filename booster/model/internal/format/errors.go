package format

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrModel is wrapped by every error about a model that cannot be used: absent,
// unreadable, damaged, not a model at all, or of an unknown version.
var ErrModel = errors.New("unusable model")

// modelError is an ErrModel that says in words of its own what is wrong.
type modelError struct{ error }

func (e modelError) Unwrap() []error { return []error{ErrModel, e.error} }

// Errorf makes an ErrModel as fmt.Errorf makes an error.
func Errorf(format string, args ...any) error { return modelError{fmt.Errorf(format, args...)} }

// NotAModel says what a file of that size looks like, given its beginning.
func NotAModel(b []byte, size uint64) string {
	if size == 0 {
		return "not a boost model: the file is empty"
	}
	if strings.HasPrefix(magic, string(b)) {
		return fmt.Sprintf("the model is cut short: it has only %d bytes", size)
	}
	if what := OfOthers(b); what != "" {
		return "not a boost model: " + what
	}
	for _, l := range lookAlikes {
		if bytes.HasPrefix(b, []byte(l.prefix)) {
			return "not a boost model: " + l.what
		}
	}
	line, _, _ := strings.Cut(string(b[:min(len(b), 60)]), "\n")
	if text := strings.TrimRight(line, "\r"); looksLikeText(text) {
		return fmt.Sprintf("not a boost model: it looks like text that begins with %q", text)
	}
	return fmt.Sprintf("not a boost model: it begins with the bytes % x", b[:min(len(b), 8)])
}
