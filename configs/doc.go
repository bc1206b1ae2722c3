// Package configs names every setting of a run once: its key, type, default, range,
// documentation and the names other libraries have for it.
//
// In: a TOML file and assignments section.key=value. Out: a Config, and notes on
// names that were translated. From the same table come `boost init --all` and
// docs/config.md. It must not know algorithms, nor read tables.
package configs
