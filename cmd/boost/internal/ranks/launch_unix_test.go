//go:build unix

package ranks

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A rank that was stopped ends when another one has failed, and only then.
func TestEndOthers(t *testing.T) {
	for _, fails := range []bool{true, false} {
		cmd := exec.Command("sleep", "5")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		failed, over := make(chan struct{}, 1), make(chan struct{})
		if fails {
			if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			failed <- struct{}{}
		} else {
			close(over)
		}
		began := time.Now()
		endOthers([]*process{{cmd: cmd}}, failed, over)
		if !fails {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		if err := cmd.Wait(); err == nil || time.Since(began) > leaveWithin+2*time.Second {
			t.Errorf("failed %v: %v after %v", fails, err, time.Since(began))
		}
		if signal := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); (signal == syscall.SIGKILL) != fails {
			t.Errorf("failed %v: ended by %v", fails, signal)
		}
	}
}
