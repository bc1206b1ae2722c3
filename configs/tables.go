package configs

import (
	"slices"

	"boost/booster"
	"boost/dataset"
)

// ReadOptions says how the text of a table is read.
func (c *Config) ReadOptions() []dataset.Option {
	opts := []dataset.Option{dataset.Format(c.Data.Format)}
	if c.Given("data.encoding") {
		opts = append(opts, dataset.Encoding(c.Data.Encoding))
	}
	if c.Given("data.decimal") {
		opts = append(opts, dataset.Decimal([]rune(c.Data.Decimal)[0]))
	}
	if c.Given("data.absent") {
		opts = append(opts, dataset.Absent(c.Data.Absent))
	}
	if c.Given("data.missing_only") {
		opts = append(opts, dataset.MissingOnly(c.Data.MissingOnly...))
	}
	opts = append(opts, dataset.Missing(c.Data.Missing...), dataset.Parse(c.Data.Parse))
	if c.Data.Blanks == "keep" {
		opts = append(opts, dataset.KeepBlanks())
	}
	if c.Data.Separator != "auto" {
		opts = append(opts, dataset.Separator([]rune(c.Data.Separator)[0]))
	}
	if c.Data.Header != "auto" {
		opts = append(opts, dataset.Header(c.Data.Header == "true"))
	}
	if c.Data.OnBadRow == "skip" {
		opts = append(opts, dataset.SkipBadRows())
	}
	if c.Params.MemoryLimit > 0 {
		opts = append(opts, dataset.MemoryLimit(c.Params.MemoryLimit))
	}
	opts = append(opts, dataset.IndexBase(c.Data.IndexBase), dataset.Sheet(c.Data.Sheet), dataset.SkipLines(c.Data.SkipLines))
	if c.Data.SideFiles == "ignore" {
		opts = append(opts, dataset.NoSideFiles())
	}
	if c.Params.Threads > 0 {
		opts = append(opts, dataset.Threads(c.Params.Threads))
	}
	return opts
}

// LabelledOptions says how a table is read with the schema of a model whose labels it has: of rows that are predicted none is left
// out for its label.
func (c *Config) LabelledOptions(s dataset.Schema) []dataset.Option {
	opts := append(c.ReadOptions(), dataset.As(s))
	if c.Output.Predictions == "" {
		opts = append(opts, dataset.SkipUnlabelled())
	}
	return opts
}

// RoleOptions says what the columns of a table are for, where no schema does.
func (c *Config) RoleOptions() []dataset.Option {
	return append(c.BesideOptions(), dataset.Ignore(c.Data.Ignore...), dataset.Categorical(c.Data.Categorical...), dataset.InitScore(c.Data.InitScore...))
}

// BesideOptions says which columns stand beside the features, for training that goes on from a model, whose features it has.
func (c *Config) BesideOptions() []dataset.Option {
	d := &c.Data
	return []dataset.Option{dataset.ID(c.IDColumns()...), dataset.Label(d.Label...), dataset.Weight(d.Weight), dataset.Group(d.Group),
		dataset.Position(d.Position), dataset.Event(d.Event), dataset.LabelUpper(d.LabelUpper)}
}

// IDColumns returns the columns that are no features and stay as they are written: those that name
// the rows, and those that mark rows for validation or that are drawn together.
func (c *Config) IDColumns() []string {
	columns := slices.Clone(c.Data.ID)
	for _, by := range []string{c.Params.ValidBy, c.Params.RowBy} {
		if by != "" && !(by == booster.ByQuery && by == c.Params.RowBy) && !slices.Contains(columns, by) {
			columns = append(columns, by)
		}
	}
	return columns
}
