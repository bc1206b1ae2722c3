package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boost/booster/model"
)

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	data := encode(t, newSmall(t))
	damaged := bytes.Clone(data)
	damaged[len(damaged)/2] ^= 4
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "the file is empty"},
		{"csv", []byte("age,income,y\n1,2,3\n"), `it looks like text that begins with "age,income,y"`},
		{"utf8", []byte(strings.Repeat("é", 100)), "it looks like text"},
		{"zeros", make([]byte, 100), "it begins with the bytes 00 00 00 00 00 00 00 00"},
		{"gzip", []byte("\x1f\x8b\x08\x00"), "it looks like a gzip file: unpack it first"},
		{"zstd", []byte("\x28\xb5\x2f\xfd\x04"), "zstd"},
		{"parquet", []byte("PAR1\x15"), "Parquet table"},
		{"lightgbm", []byte("tree\nversion=v4\n"), "LightGBM model"},
		{"xgboost", []byte("{L\x00\x00\x00\x00\x00\x00\x00\x07learner"), "XGBoost model"},
		{"json", []byte(`{"a": 1}`), "it looks like JSON"},
		{"rows of json", []byte("{\"a\": 1}\n{\"a\": 2}\n"), "it looks like JSON"},
		{"half of json", newSmall(t).EncodeText()[:500], "the model in JSON cannot be read: unexpected EOF"},
		{"lfs", []byte("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
		{"text mode", bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), "binary mode"},
		{"3 bytes", data[:3], "cut short: it has only 3 bytes"},
		{"20 bytes", data[:20], "cut short: it has only 20 bytes"},
		{"half", data[:700], "cut short: 700 of its 1624 bytes"},
		{"too long", append(bytes.Clone(data), "more"...), "should end after 1624 bytes but has 1628"},
		{"damaged", damaged, "checksum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "_")+".boost")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := model.Load(path)
			if !errors.Is(err, model.ErrModel) || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load = %v, want ErrModel with path and %q", err, c.want)
			}
		})
	}
	t.Run("absent", func(t *testing.T) {
		_, err := model.Load(filepath.Join(dir, "absent.boost"))
		if !errors.Is(err, model.ErrModel) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load = %v, want ErrModel and fs.ErrNotExist", err)
		}
	})
	t.Run("directory", func(t *testing.T) {
		_, err := model.Load(dir)
		if !errors.Is(err, model.ErrModel) || !strings.Contains(err.Error(), "is a directory") {
			t.Errorf("Load = %v, want ErrModel that says it is a directory", err)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		path := filepath.Join(dir, "secret.boost")
		if err := os.WriteFile(path, data, 0); err != nil {
			t.Fatal(err)
		}
		if f, err := os.Open(path); err == nil {
			f.Close()
			t.Skip("this user may read everything")
		}
		_, err := model.Load(path)
		if !errors.Is(err, model.ErrModel) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Load = %v, want ErrModel and fs.ErrPermission", err)
		}
	})
}

// A file of a terabyte that is no model, or claims to be one, is refused unread.
func TestLoadDoesNotReadTheWrongFile(t *testing.T) {
	for _, start := range [][]byte{[]byte("a,b,c\n"), encode(t, newSmall(t))} {
		path := filepath.Join(t.TempDir(), "huge")
		if err := os.WriteFile(path, start, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip("no sparse files here:", err)
		}
		if _, err := model.Load(path); !errors.Is(err, model.ErrModel) {
			t.Errorf("Load = %v, want ErrModel", err)
		}
	}
}

func TestIsModel(t *testing.T) {
	data := encode(t, newSmall(t))
	for n, want := range map[int]bool{0: false, 7: false, 8: true, 100: true} {
		if got := model.IsModel(data[:n]); got != want {
			t.Errorf("IsModel of the first %d bytes = %v, want %v", n, got, want)
		}
	}
	written := newSmall(t).EncodeText()
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, written, "", "    "); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		string(written): true, spaced.String(): true, `{"y": 1, "base_score": 2}`: false, `["base_score"]`: false, `{`: false,
	} {
		if got := model.IsModel([]byte(text[:min(len(text), model.SniffSize)])); got != want {
			t.Errorf("IsModel of %.40s… = %v, want %v", text, got, want)
		}
	}
}
