//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Training that is killed, several times at different rounds, and then interrupted, goes on with --resume to the
// bytes of training without a stop.
func TestResumeKilled(t *testing.T) {
	dir := inFolder(t)
	file(t, "t.csv", table(3000))
	args := func(out string, more ...string) []string {
		return append([]string{"train", "t.csv", "--label", "y", "--rounds", "1000", "--leaves", "4", "--set", "sampling.row_fraction=0.7", "--set", "train.early_stopping=990",
			"--set", "train.boosting=dart", "--set", "dart.max_drop=5", "-o", out}, more...)
	}
	saves := []string{"--checkpoint", "saved", "--set", "output.checkpoint_every=20", "--resume", "-v"}
	must(t, 0, boost(t, args("whole.boost", "-q")...))
	// A process may be some 300 rounds ahead of what is read of its words.
	for _, word := range []string{"round 3/", "(rounds 20,", "round 340/", "(rounds 500,"} {
		p := start(t, args("m.boost", saves...)...)
		p.listen(word)
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if ended := p.end(); ended.code != -1 {
			t.Fatalf("not killed: exit code %d\n%s", ended.code, ended.errors)
		}
		if exists("m.boost") {
			t.Fatal("there is a model")
		}
	}
	p := start(t, args("m.boost", saves...)...)
	p.until("round 620/")
	says(t, must(t, 130, p.end()).errors, "goes on from the checkpoints in saved (rounds ", "m.boost.partial", "with --resume goes on from the checkpoint in saved")
	says(t, must(t, 0, boost(t, args("m.boost", saves...)...)).errors, "goes on from the checkpoints in saved (rounds ")
	if readFile(t, "m.boost") != readFile(t, "whole.boost") {
		t.Error("the model is not that of training without a stop")
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	files, err := filepath.Glob("saved/*")
	if err != nil || len(files) != 4 {
		t.Errorf("the folder of checkpoints holds %q, %v", files, err)
	}
}

func TestResumeWords(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(200))
	train := func(more ...string) []string {
		return append([]string{"train", "t.csv", "--label", "y", "--rounds", "6", "-o", "m.boost"}, more...)
	}
	says(t, must(t, 2, boost(t, train("--resume")...)).errors, "name their folder with --checkpoint")
	says(t, must(t, 2, boost(t, train("--set", "output.checkpoint_every=5")...)).errors, "name their folder with --checkpoint")
	says(t, must(t, 2, boost(t, train("--checkpoint", "saved", "--set", "output.checkpoint_every=soon")...)).errors,
		`output.checkpoint_every must be a number of rounds, 1 or more, or a time like "10m" or "90s", not "soon"`)
	says(t, must(t, 1, boost(t, train("--checkpoint", "t.csv")...)).errors, "output.checkpoint: t.csv: is a file: name a folder")
	says(t, must(t, 0, boost(t, train("--checkpoint", "a/saved", "--resume")...)).errors, "no checkpoint to go on from in a/saved: training starts from round 0")
	says(t, must(t, 2, boost(t, train("--checkpoint", "a/saved", "--resume", "--seed", "9")...)).errors, "is of another run", "train.seed was 1 and is 9")
	said := must(t, 0, boost(t, train("--checkpoint", "r", "--resume", "--set", "train.early_stopping=2", "--set", "train.retrain=true")...))
	if n := strings.Count(said.errors, "no checkpoint to go on from"); n != 1 || !strings.Contains(said.out, "then trained on all rows") {
		t.Errorf("%d times no checkpoint was found: %s%s", n, said.errors, said.out)
	}
	file(t, "c.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[train]\nrounds = 6\n[output]\nmodel = \"m.boost\"\ncheckpoint = \"b\"\ncheckpoint_every = 2\n")
	must(t, 0, boost(t, "train", "c.toml", "-q"))
	if _, err := os.Stat("b/round-4.checkpoint"); err != nil {
		t.Error(err)
	}
}

// Cross-validation and models of folds that are killed at random moments go on to what they are without a stop.
func TestResumeFoldsKilled(t *testing.T) {
	inFolder(t)
	file(t, "t.csv", table(1500))
	saves := []string{"--checkpoint", "saved", "--set", "output.checkpoint_every=7", "--resume"}
	for name, args := range map[string][]string{
		"cv":   {"cv", "t.csv", "--label", "y", "--folds", "4", "--rounds", "300", "--leaves", "4", "--oof", "oof.csv", "-o", "m.boost", "-q"},
		"dart": {"cv", "t.csv", "--label", "y", "--folds", "3", "--rounds", "60", "--set", "train.boosting=dart", "--set", "dart.max_drop=5", "--oof", "oof.csv", "-o", "m.boost", "-q"},
		"best": {"train", "t.csv", "--label", "y", "--effort", "best", "--set", "train.bag_folds=4", "--rounds", "150", "-o", "m.boost", "-q"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _ = os.RemoveAll("saved"), os.Remove("oof.csv")
			began := time.Now()
			must(t, 0, boost(t, args...))
			took, want := time.Since(began), readFile(t, "m.boost")
			oof := ""
			if name != "best" {
				oof = readFile(t, "oof.csv")
			}
			kills := killed(t, 3, took, append(args, saves...)...)
			must(t, 0, boost(t, append(args, saves...)...))
			if readFile(t, "m.boost") != want || oof != "" && readFile(t, "oof.csv") != oof {
				t.Errorf("after %d kills there is another result", kills)
			}
		})
	}
	p := start(t, "cv", "t.csv", "--label", "y", "--rounds", "20000", "--set", "train.early_stopping=0", "--checkpoint", "stopped", "-v")
	p.until("quantized (round 30,")
	says(t, must(t, 130, p.end()).errors, "with --resume goes on from the checkpoint in stopped")
	says(t, must(t, 2, boost(t, "cv", "t.csv", "--label", "y", "--rounds", "20000", "--leaves", "9", "--set", "train.early_stopping=0", "--checkpoint", "stopped", "--resume")).errors, "tree.leaves was 15 and is 9")
}

// killed runs a command so many times, or until it comes to its end, and kills it at a random moment of the time that it takes. It
// returns how often that was, and fails where it never was.
func killed(t *testing.T, most int, took time.Duration, args ...string) (kills int) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, uint64(len(args))))
	for range most {
		p := start(t, args...)
		time.Sleep(time.Duration(r.Float64() * float64(took)))
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		switch ended := p.end().code == 0; {
		case !ended:
			kills++
		case kills > 0:
			return kills
		default: // the machine has less to do than when the time was taken
			took /= 4
		}
	}
	if kills == 0 {
		t.Fatal("never killed")
	}
	return kills
}
