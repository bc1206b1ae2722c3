// Package peers times boost and other trainers side by side.
//
// In: a row of the table of targets, a generated table, the commands that load, bin or
// train on it, each in a process of its own. Out: seconds by stage, peak memory, AUC and
// loss on rows held back, as a session that is kept as JSON, can be taken up again after
// an interruption, and is shown as a table.
//
// It must not know how a trainer works: a trainer is a command that prints JSON.
package peers
