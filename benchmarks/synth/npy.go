package synth

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// ErrNPY marks bytes that are no NumPy file of the one kind read here.
var ErrNPY = errors.New("not a float32 NumPy file in C order")

// npyHeader returns the NumPy 1.0 header of a float32 array in C order.
//
//	offset 0   \x93NUMPY, version 1.0, uint16 length L of what follows
//	offset 10  Python dict as text, blanks, \n; 10+L is a multiple of 64
func npyHeader(shape ...int) []byte {
	dims := make([]string, len(shape))
	for i, n := range shape {
		dims[i] = fmt.Sprint(n)
	}
	if len(dims) == 1 {
		dims = append(dims, "") // a Python tuple of one
	}
	dict := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", strings.TrimSpace(strings.Join(dims, ", ")))
	pad := 63 - (10+len(dict))%64
	header := []byte("\x93NUMPY\x01\x00")
	header = binary.LittleEndian.AppendUint16(header, uint16(len(dict)+pad+1))
	return append(header, dict+strings.Repeat(" ", pad)+"\n"...)
}

// appendFloats appends values as little-endian float32.
func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// ReadNPY reads a one- or two-dimensional float32 array and returns it by columns,
// rows entries each; a one-dimensional array is one column. Anything else is ErrNPY.
func ReadNPY(r io.Reader) (columns [][]float32, err error) {
	br := bufio.NewReaderSize(r, 1<<20)
	rows, width, err := readShape(br)
	if err != nil {
		return nil, err
	}
	columns = make([][]float32, width)
	buf := make([]byte, 4*width*npyRows)
	for lo := 0; lo < rows; lo += npyRows {
		n := min(npyRows, rows-lo)
		if _, err := io.ReadFull(br, buf[:4*width*n]); err != nil {
			return nil, fmt.Errorf("%w: %d rows announced, fewer found: %w", ErrNPY, rows, err)
		}
		for f := range columns {
			if columns[f] == nil {
				columns[f] = make([]float32, 0, min(rows, maxTrusted))
			}
			for i := range n {
				bits := binary.LittleEndian.Uint32(buf[4*(i*width+f):])
				columns[f] = append(columns[f], math.Float32frombits(bits))
			}
		}
	}
	return columns, nil
}

const (
	npyRows    = 4096    // rows read at a time
	maxTrusted = 1 << 24 // rows allocated on the word of a header
	maxWidth   = 1 << 16
)

func readShape(r io.Reader) (rows, columns int, err error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:8]) != "\x93NUMPY\x01\x00" {
		return 0, 0, fmt.Errorf("%w: no NumPy 1.0 header", ErrNPY)
	}
	text := make([]byte, binary.LittleEndian.Uint16(head[8:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return 0, 0, fmt.Errorf("%w: header cut short", ErrNPY)
	}
	dict := string(text)
	_, shape, found := strings.Cut(dict, "'shape': (")
	shape, _, closed := strings.Cut(shape, ")")
	if !found || !closed || !strings.Contains(dict, "'<f4'") || !strings.Contains(dict, "'fortran_order': False") {
		return 0, 0, fmt.Errorf("%w: header %q", ErrNPY, dict)
	}
	columns = 1
	n, _ := fmt.Sscanf(strings.ReplaceAll(shape, ",", " "), "%d %d", &rows, &columns)
	if n < 1 || rows < 0 || columns < 1 || columns > maxWidth {
		return 0, 0, fmt.Errorf("%w: shape (%s)", ErrNPY, shape)
	}
	return rows, columns, nil
}
