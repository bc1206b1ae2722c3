//go:build linux && mpi

package mpi_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// build builds the program with tags and returns its file.
func build(t *testing.T, tags string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "boost")
	cmd := exec.Command("go", "build", "-tags="+tags, "-o", file, "./cmd/boost")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// train returns a training of the census data that writes to a file.
func train(model string, more ...string) []string {
	return append([]string{"train", "../../../examples/adult/config.toml", "--set", "output.predictions=", "-o", model, "--threads", "1"}, more...)
}

// The bytes of a model are those of the program without MPI, however many ranks train it.
func TestModel(t *testing.T) {
	launch := launchers(t)
	one := filepath.Join(t.TempDir(), "one")
	if out, err := exec.Command(build(t, ""), train(one, "--rounds", "20")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	program := build(t, "mpi")
	launch["no mpirun"] = func(int) []string { return []string{"env"} }
	for name, launcher := range launch {
		model := filepath.Join(t.TempDir(), "model")
		words := launcher(3)
		out, err := exec.Command(words[0], append(append(words[1:], program), train(model, "--rounds", "20")...)...).CombinedOutput()
		got, _ := os.ReadFile(model)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: not the model of one process (%v)\n%s", name, err, out)
		}
		if n := strings.Count(string(out), "predicting"); n != 1 {
			t.Errorf("%s: %d ranks tell what they do\n%s", name, n, out)
		}
	}
}

// A process that mpirun has started alone may be given what ranks are.
func TestAlone(t *testing.T) {
	program := build(t, "mpi")
	var models [3][]byte
	for i, more := range [][]string{nil, {"--split"}, {"--ranks", "2"}} {
		model := filepath.Join(t.TempDir(), "model")
		cmd := exec.Command(program, train(model, append(more, "--rounds", "5")...)...)
		cmd.Env = append(os.Environ(), "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1")
		out, err := cmd.CombinedOutput()
		if models[i], _ = os.ReadFile(model); err != nil || !bytes.Equal(models[i], models[0]) {
			t.Errorf("%v: not the model of one process (%v)\n%s", more, err, out)
		}
	}
}

// A rank that fails says so and ends all. So does one that is killed.
func TestProgramFaults(t *testing.T) {
	program := build(t, "mpi")
	for name, launcher := range launchers(t) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			model := filepath.Join(t.TempDir(), "model")
			run := func(words ...string) *exec.Cmd {
				start := launcher(3)
				return exec.CommandContext(ctx, start[0], append(start[1:], words...)...)
			}
			onlyRank1 := []string{"sh", "-c", `if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ]; then exec "$@" --label nothing; fi; exec "$@"`, "sh"}
			for want, words := range map[string][]string{
				`rank 1: `: append(append(onlyRank1, program), train(model)...),
				"--ranks is for ranks that join over TCP": append([]string{program}, train(model, "--ranks", "2")...),
				"no MPI library": append([]string{"env", "BOOST_MPI_LIBRARY=/none", program}, train(model)...),
			} {
				if out, err := run(words...).CombinedOutput(); err == nil || ctx.Err() != nil || !strings.Contains(string(out), want) {
					t.Errorf("%v, want %q\n%s", err, want, out)
				}
			}
			cmd := run(append([]string{program}, train(model, "--rounds", "100000", "-v")...)...)
			errs, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(errs)
			for lines.Scan() && !strings.Contains(lines.Text(), "round 5/") {
			}
			killed := time.Now()
			kill(t, program, 1)
			for lines.Scan() {
			}
			if err := cmd.Wait(); err == nil || ctx.Err() != nil || time.Since(killed) > 10*time.Second {
				t.Errorf("%v after rank 1 was killed: %v", time.Since(killed), err)
			}
			if _, err := os.Stat(model); err == nil {
				t.Error("a model was written")
			}
		})
	}
}

// kill kills a rank of the program.
func kill(t *testing.T, program string, rank int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if file, _ := os.Readlink(p + "/exe"); file != program {
			continue
		}
		environment, _ := os.ReadFile(p + "/environ")
		for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK"} {
			if bytes.Contains(environment, []byte("\x00"+name+"="+strconv.Itoa(rank)+"\x00")) {
				pid, err := strconv.Atoi(filepath.Base(p))
				if err == nil {
					err = syscall.Kill(pid, syscall.SIGKILL)
				}
				if err != nil {
					t.Fatal(err)
				}
				return
			}
		}
	}
	t.Fatalf("there is no rank %d of %s", rank, program)
}
