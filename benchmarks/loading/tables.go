package loading

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// tablesVersion changes with what the writers below write.
const tablesVersion = "2"

// The generated files. Parquet files of the first and the third are made by pyarrow.
const (
	FloatsCSV  = "floats.csv"  // 28 columns of float32 in their shortest form
	ShortCSV   = "short.csv"   // 28 columns, integers below 1,000 and numbers of 3 decimals in turn
	StringsCSV = "strings.csv" // 10 columns: 5 of text, ids, integers and floats, with gaps
	FloatsGzip = "floats.csv.gz"
	FloatsZstd = "floats.csv.zst"
	SVM        = "sparse.svm" // 50 of 2,000 columns in a row
	LevelsCSV  = "levels.csv" // 7 columns of 2 to 5,000 short texts and one of integers, without gaps
)

// IDColumn is the column of StringsCSV whose cells all differ.
const IDColumn = "id"

// writers make the files; rows is that of the CSV files.
var writers = []struct {
	file  string
	write func(w *bufio.Writer, r *rand.Rand, rows int)
}{
	{FloatsCSV, writeFloats}, {ShortCSV, writeShort}, {StringsCSV, writeStrings}, {SVM, writeSVM},
	{LevelsCSV, writeLevels},
}

// Folder returns where Generate writes the tables.
func Folder(cache string, rows int) string {
	return filepath.Join(cache, fmt.Sprintf("loading-%d", rows))
}

// Generate writes the tables into a folder below cache, unless they are there, and
// returns the folder.
func Generate(cache string, rows int, words io.Writer) (folder string, err error) {
	folder = Folder(cache, rows)
	stamp := filepath.Join(folder, "made-by")
	if made, err := os.ReadFile(stamp); err == nil && string(made) == tablesVersion {
		return folder, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fmt.Fprintln(words, "making the tables in", folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	for i, t := range writers {
		err := create(filepath.Join(folder, t.file), func(f io.Writer) error {
			w := bufio.NewWriterSize(f, 1<<20)
			t.write(w, rand.New(rand.NewPCG(1, uint64(i))), rows)
			return w.Flush()
		})
		if err != nil {
			return "", err
		}
	}
	if err := compress(folder); err != nil {
		return "", err
	}
	return folder, os.WriteFile(stamp, []byte(tablesVersion), 0o666)
}

func create(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// compress writes FloatsCSV again as gzip and as zstd.
func compress(folder string) error {
	fill := func(w io.WriteCloser) error {
		plain, err := os.Open(filepath.Join(folder, FloatsCSV))
		if err != nil {
			return err
		}
		defer func() { _ = plain.Close() }() // only read from
		_, err = io.Copy(w, plain)
		return errors.Join(err, w.Close())
	}
	err := create(filepath.Join(folder, FloatsGzip), func(w io.Writer) error { return fill(gzip.NewWriter(w)) })
	if err != nil {
		return err
	}
	return create(filepath.Join(folder, FloatsZstd), func(w io.Writer) error {
		z, err := zstd.NewWriter(w)
		if err != nil {
			return err
		}
		return fill(z)
	})
}

// writeNumbers writes 28 columns of what cell appends.
func writeNumbers(w *bufio.Writer, rows int, cell func(line []byte, column int) []byte) {
	const columns = 28
	var line []byte
	for c := range columns {
		line = fmt.Appendf(line, "f%d,", c)
	}
	for row := 0; ; row++ {
		line[len(line)-1] = '\n'
		w.Write(line)
		if row == rows {
			return
		}
		line = line[:0]
		for c := range columns {
			line = append(cell(line, c), ',')
		}
	}
}

func writeFloats(w *bufio.Writer, r *rand.Rand, rows int) {
	writeNumbers(w, rows, func(line []byte, _ int) []byte { return strconv.AppendFloat(line, r.NormFloat64(), 'g', -1, 32) })
}

func writeShort(w *bufio.Writer, r *rand.Rand, rows int) {
	writeNumbers(w, rows, func(line []byte, c int) []byte {
		if c%2 == 0 {
			return strconv.AppendInt(line, r.Int64N(1000), 10)
		}
		return strconv.AppendFloat(line, r.NormFloat64(), 'f', 3, 64)
	})
}

// vocabulary returns n different texts of the given lengths, the longer ones partly of
// two words.
func vocabulary(r *rand.Rand, n, shortest, longest int) []string {
	seen := make(map[string]bool, n)
	list := make([]string, 0, n)
	for len(list) < n {
		b := make([]byte, shortest+r.IntN(longest-shortest+1))
		for i := range b {
			b[i] = 'a' + byte(r.IntN(26))
		}
		if len(b) > 8 && r.IntN(3) == 0 {
			b[5] = ' '
		}
		if !seen[string(b)] {
			seen[string(b)] = true
			list = append(list, string(b))
		}
	}
	return list
}

// writeStrings leaves one cell in twenty of every column but the ids empty.
func writeStrings(w *bufio.Writer, r *rand.Rand, rows int) {
	var words [][]string
	for _, n := range []int{50, 200, 1000, 2000, 5000} {
		words = append(words, vocabulary(r, n, 3, 18))
	}
	w.WriteString(IDColumn + ",number,amount,share,year,s50,s200,s1000,s2000,s5000\n")
	var line []byte
	for row := range rows {
		line = fmt.Appendf(line[:0], "%c%07d", 'A'+byte(r.IntN(26)), row)
		for c := range 4 {
			line = append(line, ',')
			switch {
			case r.IntN(20) == 0:
			case c == 0:
				line = strconv.AppendInt(line, r.Int64N(1_000_000), 10)
			case c == 1:
				line = strconv.AppendFloat(line, 100*r.ExpFloat64(), 'f', 2, 64)
			case c == 2:
				line = strconv.AppendFloat(line, r.Float64(), 'g', -1, 32)
			default:
				line = strconv.AppendInt(line, 1950+r.Int64N(75), 10)
			}
		}
		for _, list := range words {
			line = append(line, ',')
			if r.IntN(20) > 0 {
				line = append(line, list[r.IntN(len(list))]...)
			}
		}
		w.Write(append(line, '\n'))
	}
}

// writeSVM writes a fifth of the rows: they are longer, and the peers slower.
func writeSVM(w *bufio.Writer, r *rand.Rand, rows int) {
	const columns, stored = 2000, 50
	var line []byte
	for range rows / 5 {
		line = append(line[:0], '0'+byte(r.IntN(2)))
		// Steps of 1 to 2·columns/stored - 1 stay below columns nearly always; what is
		// above is left out.
		for i, at := 0, 0; i < stored; i++ {
			if at += 1 + r.IntN(2*columns/stored-1); at > columns {
				break
			}
			line = strconv.AppendInt(append(line, ' '), int64(at), 10)
			line = strconv.AppendFloat(append(line, ':'), r.NormFloat64(), 'g', 6, 64)
		}
		w.Write(append(line, '\n'))
	}
}

// writeLevels writes a third of the rows: 14 MB where the others have a million.
func writeLevels(w *bufio.Writer, r *rand.Rand, rows int) {
	var words [][]string
	for _, n := range []int{2, 5, 12, 40, 200, 1000, 5000} {
		words = append(words, vocabulary(r, n, 2, 7))
	}
	w.WriteString("s2,s5,s12,s40,s200,s1000,s5000,number\n")
	var line []byte
	for range rows / 3 {
		line = line[:0]
		for _, list := range words {
			line = append(line, list[r.IntN(len(list))]...)
			line = append(line, ',')
		}
		w.Write(append(strconv.AppendInt(line, r.Int64N(10_000), 10), '\n'))
	}
}
