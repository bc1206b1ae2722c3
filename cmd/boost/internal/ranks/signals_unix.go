//go:build unix

package ranks

import (
	"os"
	"os/exec"
	"syscall"
)

// passSignals gives a process the interruption of its context, and none from the terminal: it has all signals once.
func passSignals(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
}
