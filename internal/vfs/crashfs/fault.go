package crashfs

import "syscall"

// FailAt fails call n with an error, once.
func FailAt(n int, err error) func(Call) error {
	return func(c Call) error {
		if c.N == n {
			return err
		}
		return nil
	}
}

// FullFrom is a disk without room from call n on: what would take more fails, what gives back does not.
func FullFrom(n int) func(Call) error {
	return func(c Call) error {
		switch c.Op {
		case "create", "write", "mkdir":
			if c.N >= n {
				return syscall.ENOSPC
			}
		}
		return nil
	}
}

// ReadOnly is a disk that takes no change.
func ReadOnly(Call) error { return syscall.EROFS }
