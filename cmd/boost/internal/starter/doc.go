// Package starter holds what is found in a table before there is a config for it, and makes one of that.
//
// In: a table that was read leniently. Out: findings and problems of its columns, a config. It must not know commands.
package starter
