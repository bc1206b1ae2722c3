package cache

import (
	"errors"
	"log/slog"
)

// Task is the cache that a run is to write.
type Task struct {
	Path    string
	Key     *Key
	Fresh   func() bool // the files are still those of the key
	Storage string      // what codes are made with, see Writer.Add
}

// Output writes the cache of a run. A nil one writes nothing. A cache that cannot be written is logged,
// and does not stop the run.
type Output struct {
	*Task
	writer *Writer
	log    *slog.Logger
}

// Create begins the cache. It returns nil for a nil task.
func (t *Task) Create(log *slog.Logger) *Output {
	if t == nil {
		return nil
	}
	w, err := Create(t.Path)
	if err != nil {
		log.Warn("the cache cannot be written", "reason", err.Error())
		return nil
	}
	return &Output{t, w, log}
}

// Add writes the next set.
func (o *Output) Add(s Set) {
	if o != nil {
		o.writer.Add(s, o.Storage)
	}
}

// Finish writes what is known after all sets are coded, unless the files have changed since.
func (o *Output) Finish(c *Contents) {
	if o == nil {
		return
	}
	var err error
	if o.Fresh() {
		err = o.writer.Finish(o.Key, c)
	} else {
		o.writer.Discard()
		err = errors.New("its files have changed since training began")
	}
	if err != nil {
		o.log.Warn("the cache cannot be written", "reason", err.Error())
		return
	}
	o.log.Info("cache written", "file", o.Path)
}

// Discard leaves the file as it was.
func (o *Output) Discard() {
	if o != nil {
		o.writer.Discard()
	}
}
