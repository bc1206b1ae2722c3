package sizes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Compressor says what a general compressor makes of a file.
type Compressor struct {
	Name string // with its version
	size func(ctx context.Context, file []byte) (int64, error)
}

// NewCompressor returns zstd at level 19, by the program of that name; where there is none,
// the best that the library at hand does, which Name then says.
func NewCompressor(ctx context.Context) Compressor {
	program, err := exec.LookPath("zstd")
	if err != nil {
		return Compressor{"zstd by klauspost/compress at SpeedBestCompression (no zstd program here)", best}
	}
	name := "zstd -19"
	if out, err := exec.CommandContext(ctx, program, "--version").Output(); err == nil {
		for _, word := range strings.Fields(string(out)) {
			if strings.HasPrefix(word, "v") && strings.Contains(word, ".") {
				name += " (" + strings.Trim(word, ",") + ")"
				break
			}
		}
	}
	return Compressor{name, func(ctx context.Context, file []byte) (int64, error) {
		folder, err := os.MkdirTemp("", "sizes")
		if err != nil {
			return 0, err
		}
		defer func() { _ = os.RemoveAll(folder) }() // nothing to be done about it
		path := filepath.Join(folder, "model")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			return 0, err
		}
		out, err := exec.CommandContext(ctx, program, "-19", "-q", "-c", path).Output()
		if err != nil {
			return 0, fmt.Errorf("zstd: %w", err)
		}
		return int64(len(out)), nil
	}}
}

func best(_ context.Context, file []byte) (int64, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return 0, err
	}
	return int64(len(w.EncodeAll(file, nil))), w.Close()
}

// File measures a file.
func (c Compressor) File(ctx context.Context, name string, file []byte) (File, error) {
	n, err := c.size(ctx, file)
	return File{Name: name, Bytes: int64(len(file)), Zstd: n}, err
}
