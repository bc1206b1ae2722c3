//go:build unix

package replace

import "golang.org/x/sys/unix"

const (
	removeWhileOpen = true
	noFollow        = unix.O_NOFOLLOW
)
