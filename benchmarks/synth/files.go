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

// Write makes the files of a table in folder: rows 0 … train-1 for training, as
// NumPy arrays and as CSV, the next test rows for testing.
func (g *Generator) Write(folder string, train, test int, pool *parallel.Pool) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files, err := createAll(folder, TrainX, TrainY, TrainCSV, TestX, TestY)
	if err != nil {
		return err
	}
	err = g.writeParts(files, train, test, pool)
	for _, f := range files {
		if e := f.close(); err == nil {
			err = e
		}
	}
	return err
}

func (g *Generator) writeParts(files map[string]*output, train, test int, pool *parallel.Pool) error {
	files[TrainX].write(npyHeader(train, g.columns))
	files[TrainY].write(npyHeader(train))
	files[TestX].write(npyHeader(test, g.columns))
	files[TestY].write(npyHeader(test))
	files[TrainCSV].write(g.csvHeader())
	if err := g.writeRows(0, train, files[TrainX], files[TrainY], files[TrainCSV], pool); err != nil {
		return err
	}
	return g.writeRows(train, train+test, files[TestX], files[TestY], nil, pool)
}

// chunk is the bytes of a block of rows for each file.
type chunk struct{ x, y, csv []byte }

// writeRows writes rows lo … hi-1, pool.Threads chunks at a time; csv may be nil.
func (g *Generator) writeRows(lo, hi int, x, y, csv *output, pool *parallel.Pool) error {
	chunks := make([]chunk, pool.Threads())
	for lo < hi {
		n := min(len(chunks), (hi-lo+chunkRows-1)/chunkRows)
		pool.Do(n, parallel.Func(func(_, i int) {
			from := lo + i*chunkRows
			chunks[i] = g.render(from, min(from+chunkRows, hi), csv != nil)
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
	for _, f := range []*output{x, y, csv} {
		if f != nil && f.err != nil {
			return f.err
		}
	}
	return nil
}

func (g *Generator) render(lo, hi int, withCSV bool) chunk {
	xs, ys := make([]float32, (hi-lo)*g.columns), make([]float32, hi-lo)
	g.Fill(lo, hi, xs, ys)
	c := chunk{x: appendFloats(nil, xs), y: appendFloats(nil, ys)}
	if !withCSV {
		return c
	}
	for row, y := range ys {
		for _, v := range xs[row*g.columns : (row+1)*g.columns] {
			c.csv = strconv.AppendFloat(c.csv, float64(v), 'g', -1, 32)
			c.csv = append(c.csv, ',')
		}
		c.csv = append(c.csv, '0'+byte(y), '\n')
	}
	return c
}

func (g *Generator) csvHeader() []byte {
	var b []byte
	for _, name := range g.Names() {
		b = append(append(b, name...), ',')
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
