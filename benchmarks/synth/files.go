package synth

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"boost/parallel"
)

// The files of a table in its folder.
const (
	TrainX   = "train.npy"
	TrainY   = "train_label.npy"
	TrainCSV = "train.csv"
	TestX    = "test.npy"
	TestY    = "test_label.npy"

	Label = "label" // the label's column in TrainCSV, the last
)

const chunkRows = 8192

// Write makes the files of a table in folder: rows 0 … train-1 for training, the next test rows for
// testing. The training rows are written as CSV too.
func (t *Table) Write(folder string, train, test int, pool *parallel.Pool) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files, err := createAll(folder, TrainX, TrainY, TestX, TestY, TrainCSV)
	if err != nil {
		return err
	}
	files[TrainX].write(npyHeader(train, t.width()))
	files[TrainY].write(npyHeader(train))
	files[TestX].write(npyHeader(test, t.width()))
	files[TestY].write(npyHeader(test))
	files[TrainCSV].write(csvHeader(t.width()))
	t.writeRows(0, train, files[TrainX], files[TrainY], files[TrainCSV], pool)
	t.writeRows(train, train+test, files[TestX], files[TestY], nil, pool)
	return closeAll(files)
}

// chunk is the bytes of a block of rows for each file.
type chunk struct{ x, y, csv []byte }

// writeRows writes rows lo … hi-1, pool.Threads chunks at a time; csv may be nil.
func (t *Table) writeRows(lo, hi int, x, y, csv *output, pool *parallel.Pool) {
	chunks := make([]chunk, pool.Threads())
	for lo < hi && x.err == nil {
		n := min(len(chunks), (hi-lo+chunkRows-1)/chunkRows)
		pool.Do(n, parallel.Func(func(_, i int) {
			from := lo + i*chunkRows
			chunks[i] = t.render(from, min(from+chunkRows, hi), csv != nil)
		}))
		for _, c := range chunks[:n] {
			x.write(c.x)
			y.write(c.y)
			if csv != nil {
				csv.write(c.csv)
			}
		}
		lo += n * chunkRows
	}
}

func (t *Table) render(lo, hi int, withCSV bool) chunk {
	width := t.width()
	xs, ys := make([]float32, (hi-lo)*width), make([]float32, hi-lo)
	t.fill(lo, hi, xs, ys)
	c := chunk{x: appendFloats(nil, xs), y: appendFloats(nil, ys)}
	if !withCSV {
		return c
	}
	for row, y := range ys {
		for _, v := range xs[row*width : (row+1)*width] {
			c.csv = strconv.AppendFloat(c.csv, float64(v), 'g', -1, 32)
			c.csv = append(c.csv, ',')
		}
		c.csv = append(strconv.AppendFloat(c.csv, float64(y), 'g', -1, 32), '\n')
	}
	return c
}

// csvHeader names the columns f0, f1, …, the label last.
func csvHeader(columns int) []byte {
	var b []byte
	for f := range columns {
		b = append(strconv.AppendInt(append(b, 'f'), int64(f), 10), ',')
	}
	return append(b, Label+"\n"...)
}

// output is a buffered file that keeps its first error.
type output struct {
	file *os.File
	buf  *bufio.Writer
	err  error
}

func createAll(folder string, names ...string) (map[string]*output, error) {
	files := make(map[string]*output, len(names))
	for _, name := range names {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			for _, open := range files {
				_ = open.close()
			}
			return nil, fmt.Errorf("make a table: %w", err)
		}
		files[name] = &output{file: f, buf: bufio.NewWriterSize(f, 1<<20)}
	}
	return files, nil
}

// closeAll closes the files and returns the first error that any of them had.
func closeAll(files map[string]*output) error {
	var first error
	for _, f := range files {
		if e := f.close(); first == nil {
			first = e
		}
	}
	return first
}

func (o *output) write(b []byte) {
	if o.err == nil {
		_, o.err = o.buf.Write(b)
	}
}

func (o *output) close() error {
	if e := o.buf.Flush(); o.err == nil {
		o.err = e
	}
	if e := o.file.Close(); o.err == nil {
		o.err = e
	}
	return o.err
}
