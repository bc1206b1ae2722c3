// Package peers times boost and other trainers side by side.
//
// In: a generated table, the commands that load or train on it, each in a process of
// its own. Out: seconds by stage, peak memory, AUC and logloss on rows held back,
// as a record that is kept as JSON and shown as a table.
//
// It must not know how a trainer works: a trainer is a command that prints JSON.
package peers
