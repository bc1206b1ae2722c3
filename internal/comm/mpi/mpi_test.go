//go:build linux && mpi

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"boost/internal/comm"
	"boost/internal/comm/commtest"
	"boost/internal/comm/mpi"
	"boost/internal/testenv"
)

// asRank is the variable that makes this program a rank, and says what it does.
const asRank = "BOOST_MPI_TEST"

func TestMain(m *testing.M) {
	if what := os.Getenv(asRank); what != "" {
		if err := beRank(what); err != nil {
			fmt.Println("fault:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func beRank(what string) error {
	l, _ := mpi.Launched(os.Getenv)
	version := "1"
	if what == "versions" {
		version = strconv.Itoa(l.Rank)
	}
	c, err := mpi.Join(context.Background(), l, version)
	if err != nil {
		return err
	}
	switch ctx := context.Background(); what {
	case "check":
		err = commtest.Check(ctx, c, 7)
	case "bench":
		err = bench(c)
	case "deadline": // the others make no second call before theirs has ended
		if err = c.Barrier(ctx); err == nil && c.Rank() == 1 {
			late, cancel := context.WithTimeoutCause(ctx, 20*time.Millisecond, errors.New("out of time"))
			defer cancel()
			err = c.Sum64(late, make([]uint64, 4))
			fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.Is(err, comm.ErrComm), err, c.Barrier(ctx))
		} else {
			time.Sleep(time.Minute)
		}
	case "abort":
		if c.Rank() == 1 {
			c.Abort(errors.New("disk full"))
			fmt.Println(c.Barrier(ctx))
		} else {
			err = c.Barrier(ctx)
		}
	}
	return errors.Join(err, c.Close())
}

// bench prints the sizes of vectors in bytes and the shortest times of their sums in nanoseconds.
func bench(c comm.Comm) error {
	for _, size := range []int{8, 8 << 10, 32 << 10, 112_000, 1 << 20, 8 << 20} {
		values, best := make([]uint64, size/8), time.Hour
		for range 40_000_000/(size+40_000) + 10 {
			if err := c.Barrier(context.Background()); err != nil {
				return err
			}
			began := time.Now()
			if err := c.Sum64(context.Background(), values); err != nil {
				return err
			}
			best = min(best, time.Since(began))
		}
		if c.Rank() == 0 {
			fmt.Println(size, best.Nanoseconds())
		}
	}
	return nil
}

// launchers returns the commands that start n processes, by the name of the implementation.
func launchers(t testing.TB) map[string]func(n int) []string {
	t.Helper()
	found := map[string]func(n int) []string{}
	for _, program := range []string{"mpirun", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"} {
		out, err := exec.Command(program, "--version").Output()
		switch {
		case err != nil:
		case strings.Contains(string(out), "HYDRA"):
			found["MPICH"] = func(n int) []string { return []string{program, "-np", strconv.Itoa(n)} }
		default:
			found["Open MPI"] = func(n int) []string {
				return []string{program, "--allow-run-as-root", "--oversubscribe", "-np", strconv.Itoa(n)}
			}
		}
	}
	for _, name := range []string{"Open MPI", "MPICH"} {
		if found[name] == nil && (len(found) == 0 || os.Getenv("CI") == "true") {
			testenv.Machine(t, false, name)
		}
	}
	return found
}

// start starts n processes of this program as ranks that do something.
func start(ctx context.Context, launcher []string, what string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, launcher[0], append(launcher[1:], os.Args[0])...)
	cmd.Env = append(os.Environ(), asRank+"="+what)
	return cmd
}

func TestCalls(t *testing.T) {
	for name, launcher := range launchers(t) {
		for _, n := range []int{1, 2, 3, 5} {
			if out, err := start(t.Context(), launcher(n), "check").CombinedOutput(); err != nil {
				t.Errorf("%s, %d ranks: %v\n%s", name, n, err, out)
			}
		}
	}
}

// What ends one rank ends all, and is said once.
func TestFaults(t *testing.T) {
	for name, launcher := range launchers(t) {
		for what, want := range map[string]string{
			"deadline": "true true ranks of the training: out of time ranks of the training: out of time",
			"abort":    "ranks of the training: rank 1: disk full",
			"versions": "of the program",
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			out, err := start(ctx, launcher(3), what).CombinedOutput()
			if err == nil || ctx.Err() != nil || !strings.Contains(string(out), want) {
				t.Errorf("%s, %s: %v, want %q\n%s", name, what, err, want, out)
			}
			cancel()
		}
		for range 25 { // a launcher that drops the last words does not always
			if out, _ := start(t.Context(), launcher(3), "abort").CombinedOutput(); !strings.Contains(string(out), "disk full") {
				t.Fatalf("%s: the last words are lost\n%s", name, out)
			}
		}
	}
}

func TestNoLibrary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "libmpi.so")
	t.Setenv(mpi.LibraryVariable, file)
	if _, err := mpi.Join(t.Context(), mpi.Launch{}, ""); !errors.Is(err, comm.ErrComm) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), mpi.LibraryVariable) {
		t.Error(err)
	}
}

// BenchmarkSum64 sums vectors over ranks of this machine once; nanoseconds are the shortest of several sums.
func BenchmarkSum64(b *testing.B) {
	for name, launcher := range launchers(b) {
		for _, ranks := range []int{2, 4} {
			b.Run(fmt.Sprintf("%s/ranks=%d", strings.ReplaceAll(name, " ", ""), ranks), func(b *testing.B) {
				out, err := start(b.Context(), launcher(ranks), "bench").Output()
				if err != nil {
					b.Fatal(err)
				}
				for line := range strings.Lines(string(out)) {
					var size int
					var ns float64
					if _, err := fmt.Sscan(line, &size, &ns); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(ns, fmt.Sprintf("ns/%dB", size))
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
