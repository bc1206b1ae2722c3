//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
)

// A named pipe can be read once, also where the types of ids need a look at all of them.
func TestPredictFromPipe(t *testing.T) {
	models(t)
	must(t, 0, boost(t, "predict", "y.boost", "t.csv", "-o", "file.parquet"))
	must(t, 0, boost(t, "predict", "y.boost", "t.csv", "-o", "file.csv"))
	if err := syscall.Mkfifo("pipe.csv", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"parquet", "csv"} {
		wrote := make(chan error, 1)
		go func() { wrote <- os.WriteFile("pipe.csv", []byte(table(300)), 0o600) }()
		must(t, 0, boost(t, "predict", "y.boost", "pipe.csv", "-o", "pipe."+format+".out", "--format", format))
		if err := <-wrote; err != nil {
			t.Fatal(err)
		}
		if readFile(t, "pipe."+format+".out") != readFile(t, "file."+format) {
			t.Errorf("%s: predictions from the pipe differ", format)
		}
	}
}
