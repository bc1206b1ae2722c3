package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The test binary plays the programs.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "absent":
		os.Exit(NotInstalled)
	case "slow":
		time.Sleep(time.Minute)
	case "fails":
		fmt.Fprintln(os.Stderr, "Traceback:\nValueError: no such column\n  [bt] (0) somewhere")
		os.Exit(1)
	case "silent":
		os.Exit(0)
	}
	fmt.Printf("words of a library\n{\"a\": %q}\n", os.Getenv("OMP_WAIT_POLICY"))
}

func TestRun(t *testing.T) {
	run := func(ctx context.Context, role string) (string, Usage, error) {
		var value struct{ A string }
		used, err := Process{Command: []string{os.Args[0], role}, Threads: 1, Wait: Active, Limit: time.Second}.Run(ctx, &value)
		return value.A, used, err
	}
	if a, used, err := run(t.Context(), "prints"); err != nil || a != "ACTIVE" || used.Wall <= 0 || used.Peak < 1<<20 {
		t.Errorf("%q, %+v, error %v", a, used, err)
	}
	for role, want := range map[string]error{"absent": ErrAbsent, "slow": ErrTooSlow} {
		if _, _, err := run(t.Context(), role); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", role, err, want)
		}
	}
	if _, err := (Process{Command: []string{"no-such-program"}}).Run(t.Context(), nil); !errors.Is(err, ErrAbsent) {
		t.Errorf("no program: error %v", err)
	}
	if _, _, err := run(t.Context(), "fails"); err == nil || Reason(err) != "ValueError: no such column" {
		t.Errorf("the reason of %v", err)
	}
	if _, _, err := run(t.Context(), "silent"); err == nil || !strings.Contains(err.Error(), `printed ""`) {
		t.Errorf("nothing printed: error %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := run(cancelled, "prints"); err == nil || errors.Is(err, ErrTooSlow) {
		t.Errorf("interrupted: error %v", err)
	}
}

func TestReplaced(t *testing.T) {
	const old = "a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n"
	if got, want := replaced(old, "x", "new\n"), strings.Replace(old, "old", "new", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := replaced("a\n", "y", "new\n"), "a\n\n<!-- begin y -->\nnew\n<!-- end y -->\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
