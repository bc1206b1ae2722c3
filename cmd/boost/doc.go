// Command boost trains gradient-boosted trees on table files and uses the models.
//
// In: arguments, config files, tables, models. Out: models, predictions, figures;
// data on standard output, messages on standard error, an exit code. Every command is
// one file. It must not know how anything is computed: that is in the packages below.
package main
