package main

import (
	"context"
	"errors"
	"slices"

	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/starter"
	"boost/configs"
	"boost/dataset"
	"boost/internal/gcpercent"
	"boost/internal/profile"
)

// profileTable reads a table leniently and looks at every column. The label is the column
// of that name; "" looks for a telling name where guess says so.
func (a *app) profileTable(ctx context.Context, files []string, in *reading, label string, guess bool) (*starter.Table, error) {
	c, err := in.config(a, append(slices.Clone(keyflags.Reading), keyflags.Types...))
	if err != nil {
		return nil, err
	}
	parsed := !guess && !c.Given("data.parse") // for a config, which says how they are read
	if parsed {
		c.Data.Parse = map[string]string{"": dataset.ParseAuto}
	}
	opts := append(c.ReadOptions(), dataset.LenientTypes())
	if in.noSpool {
		opts = append(opts, dataset.NoSpool())
	}
	t, unreadable, err := a.openReadable(ctx, files, c, opts)
	if err != nil {
		return nil, err
	}
	s := starter.New(files, t, c, unreadable, notesOf(t))
	s.Parsed = parsed
	if s.FindLabel(label, guess); s.LabelName != "" {
		a.tell(profile.Misspelt(t.Column(s.LabelName)))
	}
	pool := a.pool(0)
	defer pool.Close()
	defer gcpercent.LowerWide(len(t.Columns()))()
	return s, s.Look(ctx, pool)
}

// openReadable opens a table without the columns that cannot be read, which are ignored
// from here on, and says why they cannot. Standard input can be read once only.
func (a *app) openReadable(ctx context.Context, files []string, c *configs.Config, opts []dataset.Option) (t *dataset.Table, unreadable []*dataset.ColumnError, err error) {
	for {
		t, err = a.open(ctx, files, append(slices.Clone(opts), c.RoleOptions()...)...)
		column, ok := errors.AsType[*dataset.ColumnError](err)
		if !ok || files[0] == "-" || slices.Contains(c.Data.Ignore, column.Column) {
			return t, unreadable, err
		}
		c.Data.Ignore = append(slices.Clone(c.Data.Ignore), column.Column)
		unreadable = append(unreadable, column)
	}
}
