package format

import (
	"bytes"
	"unicode/utf8"
)

// others are beginnings of other programs' models, which no table has.
var others = []struct{ prefix, what string }{
	{"tree\nversion=", "it looks like a LightGBM model"},
	{"{L\x00\x00", "it looks like an XGBoost model in UBJSON"},
	{"{\"learner\"", "it looks like an XGBoost model in JSON"},
}

// lookAlikes are beginnings of further files that people give as a model by mistake.
var lookAlikes = []struct{ prefix, what string }{
	{"BOOST\n\x1a", "it looks like a boost model whose line ends were changed by a transfer in text mode: copy it again in binary mode"},
	{"\x1f\x8b", "it looks like a gzip file: unpack it first"},
	{"\x28\xb5\x2f\xfd", "it looks like a zstd file: unpack it first"},
	{"PK\x03\x04", "it looks like a zip file: unpack it first"},
	{"PAR1", "it looks like a Parquet table"},
	{"ARROW1", "it looks like an Arrow table"},
	{"tree\n", "it looks like a LightGBM model"},
	{"CBM1", "it looks like a CatBoost model"},
	{"binf", "it looks like an XGBoost model in its old binary form"},
	{"\x80\x04", "it looks like a Python pickle"},
	{"\x80\x05", "it looks like a Python pickle"},
	{"\x7fELF", "it looks like a program"},
	{"version https://git-lfs", "it looks like a Git LFS pointer: run git lfs pull"},
	{"<", "it looks like a web page or an XML file"},
	{"{", "it looks like JSON"},
	{"[", "it looks like JSON or TOML"},
}

// OfOthers returns what a file that begins with these bytes (SniffSize are enough) looks like where it is another program's model,
// "" where it may be a table.
func OfOthers(beginning []byte) string {
	for _, o := range others {
		if bytes.HasPrefix(beginning, []byte(o.prefix)) {
			return o.what
		}
	}
	return ""
}

func looksLikeText(s string) bool {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		// A rune that the cut at 60 bytes split is no reason to call text binary.
		if r == utf8.RuneError && n == 1 && len(s) >= utf8.UTFMax || r < ' ' && r != '\t' || r == 0x7f {
			return false
		}
		s = s[n:]
	}
	return true
}

// IsModel reports whether a file that begins with these bytes (SniffSize are enough) is meant
// to be a model in boost's own format, or one that boost has written in JSON.
func IsModel(beginning []byte) bool {
	return bytes.HasPrefix(beginning, []byte(magic)) || bytes.HasPrefix(firstKey(beginning), []byte(`"base_score"`))
}

// SniffSize is how many bytes at the beginning of a file IsModel has to see.
const SniffSize = 64

// firstKey returns a JSON object from its first key on, nil for what begins as none.
func firstKey(beginning []byte) []byte {
	const blanks = " \t\r\n"
	inside, found := bytes.CutPrefix(bytes.TrimLeft(beginning, blanks), []byte("{"))
	if !found {
		return nil
	}
	return bytes.TrimLeft(inside, blanks)
}

// MayBeText reports whether a file that begins with these bytes may be a model in JSON.
func MayBeText(beginning []byte) bool {
	key := firstKey(beginning)
	return bytes.HasPrefix(key, []byte(`"`)) && !bytes.HasPrefix(key, []byte(`"learner"`)) // XGBoost's
}
