package model

import (
	"errors"
	"fmt"
)

// ErrModel is wrapped by every error about a model that cannot be used: absent,
// unreadable, damaged, not a model at all, or of an unknown version.
var ErrModel = errors.New("unusable model")

// modelError is an ErrModel that says in words of its own what is wrong.
type modelError struct{ error }

func (e modelError) Unwrap() []error { return []error{ErrModel, e.error} }

// unusable makes an ErrModel as fmt.Errorf makes an error.
func unusable(format string, args ...any) error { return modelError{fmt.Errorf(format, args...)} }
