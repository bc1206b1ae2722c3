//go:build !linux

package main

import "github.com/spf13/cobra"

// ranksCommands are for network namespaces, which Linux has.
func ranksCommands() []*cobra.Command { return nil }
