//go:build race

package testenv

const raced = true
