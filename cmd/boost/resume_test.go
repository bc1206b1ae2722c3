//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
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
	file(t, "c.toml", "[data]\ntrain = \"t.csv\"\nlabel = \"y\"\n[train]\nrounds = 6\n[output]\nmodel = \"m.boost\"\ncheckpoint = \"b\"\ncheckpoint_every = 2\n")
	must(t, 0, boost(t, "train", "c.toml", "-q"))
	if _, err := os.Stat("b/round-4.checkpoint"); err != nil {
		t.Error(err)
	}
}
