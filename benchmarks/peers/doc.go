// Package peers times boost beside LightGBM and XGBoost on real tables and generated ones.
//
// In: folders of tables as text, the commands that train on them, each in a process of its own.
// Out: for each table and number of threads the least seconds of each trainer in each of its ways,
// with how quiet the machine was, as a record that is kept as JSON and shown as a table.
//
// It must not know how a trainer works: a trainer is a command that prints JSON.
package peers
