package chunk

import (
	"io"
	"os"
	"sync/atomic"
)

// watched reads a file and knows, at its end, whether it is the file that it was when the
// table's inputs were found, the first and any other time that it is read.
type watched struct {
	io.Reader
	in   *Input
	stat func() (os.FileInfo, error) // nil where nothing can change
	n    atomic.Int64                // bytes read, those before a section too
	to   int64                       // end of a section, 0 for that of the file

	failed atomic.Bool // reading failed, whatever a decompressor makes of it
}

func (w *watched) Read(b []byte) (int, error) {
	if left := w.to - w.n.Load(); w.to > 0 && left < int64(len(b)) {
		if left <= 0 {
			return 0, w.end()
		}
		b = b[:left]
	}
	n, err := w.Reader.Read(b)
	w.n.Add(int64(n))
	if err == io.EOF {
		err = w.end()
	}
	w.failed.Store(err != nil && err != io.EOF)
	return n, err
}

// end returns io.EOF, or what became of the file. A size of 0 is that of files that the
// system makes while they are read.
func (w *watched) end() error {
	if w.stat == nil || w.in.Size == 0 {
		return io.EOF
	}
	info, err := w.stat()
	switch {
	case err != nil:
		return err
	case w.n.Load() < w.in.Size && (w.to == 0 || w.n.Load() < w.to):
		return Errorf("%s changed while it was read: it has %d bytes of %d", w.in.Name, w.n.Load(), w.in.Size)
	case w.n.Load() > w.in.Size, !sameContent(w.in.found, info):
		return Errorf("%s changed while it was read; read it again once nobody writes to it", w.in.Name)
	}
	return io.EOF
}
