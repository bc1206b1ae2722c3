//go:build windows

package replace

const (
	removeWhileOpen = false // an open file can be neither removed nor renamed here
	noFollow        = 0
)
