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

func (d dense) Write(folder string, train, test int, text bool, pool *parallel.Pool) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	names := []string{TrainX, TrainY, TestX, TestY}
	if text {
		names = append(names, TrainCSV)
	}
	files, err := createAll(folder, names...)
	if err != nil {
		return err
	}
	files[TrainX].write(npyHeader(floats, train, d.width()))
	files[TrainY].write(npyHeader(floats, train))
	files[TestX].write(npyHeader(floats, test, d.width()))
	files[TestY].write(npyHeader(floats, test))
	if text {
		files[TrainCSV].write(csvHeader(d.width()))
	}
	d.writeRows(0, train, files[TrainX], files[TrainY], files[TrainCSV], pool)
	d.writeRows(train, train+test, files[TestX], files[TestY], nil, pool)
	return closeAll(files)
}

// chunk is the bytes of a block of rows for each file.
type chunk struct{ x, y, csv []byte }

// writeRows writes rows lo … hi-1, pool.Threads chunks at a time; csv may be nil.
func (d dense) writeRows(lo, hi int, x, y, csv *output, pool *parallel.Pool) {
	chunks := make([]chunk, pool.Threads())
	for lo < hi && x.err == nil {
		n := min(len(chunks), (hi-lo+chunkRows-1)/chunkRows)
		pool.Do(n, parallel.Func(func(_, i int) {
			from := lo + i*chunkRows
			chunks[i] = d.render(from, min(from+chunkRows, hi), csv != nil)
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

func (d dense) render(lo, hi int, withCSV bool) chunk {
	width := d.width()
	xs, ys := make([]float32, (hi-lo)*width), make([]float32, hi-lo)
	d.fill(lo, hi, xs, ys)
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

// rewind writes a header over the one that the file begins with, which is as long.
func (o *output) rewind(header []byte) {
	if e := o.buf.Flush(); o.err == nil {
		o.err = e
	}
	if o.err == nil {
		_, o.err = o.file.WriteAt(header, 0)
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
