// Package jsonform writes and takes apart the one form of JSON that model files use.
//
// In: values, or JSON of any form. Out: the bytes of that form. It must not know models.
package jsonform
