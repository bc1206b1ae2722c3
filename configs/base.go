package configs

import "boost/dataset"

// CheckBase refuses what the config says of columns where a base model, by its schema, has them otherwise: training that goes on
// from it has its features. Where declared is true, data.categorical may name columns that the base model lacks, because tables
// declare their categories themselves.
func (c *Config) CheckBase(s dataset.Schema, declared bool) error {
	of := func(name string) *dataset.ColumnSchema {
		for i := range s.Columns {
			if column := &s.Columns[i]; column.Name == name {
				return column
			}
		}
		return nil
	}
	const stays = "%v: %s = [%q]: column %[3]q is a %s of the base model, and training that goes on keeps all that it has: leave the column out of the key, or train from nothing"
	for _, key := range []struct {
		name    string
		columns []string
	}{{"data.ignore", c.Data.Ignore}, {"data.id", c.Data.ID}} {
		for _, name := range key.columns {
			if column := of(name); column != nil && column.Role != dataset.IDRole {
				return problemf(stays, c.given[key.name], key.name, name, column.Role)
			}
		}
	}
	for _, name := range c.Data.Categorical {
		switch column := of(name); {
		case column == nil && !declared:
			return problemf("%v: data.categorical = [%q]: the base model has no column %[2]q, and training that goes on keeps its features: leave the column out of the key, or train from nothing", c.given["data.categorical"], name)
		case column != nil && column.Kind != dataset.Category && column.Role != dataset.LabelRole:
			return problemf("%v: data.categorical = [%q]: column %[2]q has numbers in the base model, and training that goes on keeps them: leave the column out of the key, or train from nothing", c.given["data.categorical"], name)
		}
	}
	return nil
}
