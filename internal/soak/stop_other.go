//go:build !unix

package main

import "os"

// sleep and wake are no signals here: no process is stopped.
var sleep, wake os.Signal
