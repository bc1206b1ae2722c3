// Package configs reads the settings of a run. Each is described once, beside the parameters
// that it belongs to; configs puts the descriptions together.
//
// In: a TOML file and assignments section.key=value. Out: a Config, and notes on
// names that were translated. From the same descriptions come `boost init --all` and
// docs/config.md. It must not know algorithms, nor read tables.
package configs
