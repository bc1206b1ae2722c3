//go:build !wasm

package codec_test

import (
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"boost/internal/testenv"
)

// figure is what speeds reports under WebAssembly: a width and GB of codes a second in cache.
var figure = regexp.MustCompile(`(?m)^Benchmark\w+/S3\.11/(\d)\s.*?([0-9.]+) GB/s_in_cache_generic`)

// underWasm runs a benchmark under each engine of WebAssembly, where it holds itself to the bar
// of S3.11.
func underWasm(b *testing.B, name string) {
	for _, engine := range []string{"wazero", "node"} {
		b.Run("S3.11/"+engine, func(b *testing.B) {
			for b.Loop() {
				out, err := exec.Command("../../../.ci/wasm", engine, "-run", "^$", "-benchtime", "1x", "-bench", "^"+name+"$", "./internal/kernel/codec").CombinedOutput()
				exit := (*exec.ExitError)(nil)
				ran := err == nil || errors.As(err, &exit) && exit.ExitCode() != 3
				testenv.Machine(b, ran, engine)
				figures := figure.FindAllStringSubmatch(string(out), -1)
				if err != nil || len(figures) != 4 {
					b.Fatalf("%v\n%s", err, out)
				}
				for _, f := range figures {
					speed, err := strconv.ParseFloat(f[2], 64)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(speed, "GB/s_"+f[1]+"_bits")
				}
			}
		})
	}
}
