package gradients

import "boost/internal/kernel/sample"

// Buffer holds a round's gradients and hessians in full precision, output-major:
// the entry of (row, output) is output*Rows + row. An objective fills it; it is
// reused from round to round. It costs 8 bytes per row and output.
type Buffer struct {
	Rows, Outputs int
	Grad, Hess    []float32
}

// NewBuffer returns a zeroed Buffer.
func NewBuffer(rows, outputs int) *Buffer {
	return &Buffer{rows, outputs, make([]float32, rows*outputs), make([]float32, rows*outputs)}
}

// Output returns the gradients and hessians of one output, one per row.
func (b *Buffer) Output(k int) (grad, hess []float32) {
	lo, hi := k*b.Rows, (k+1)*b.Rows
	return b.Grad[lo:hi], b.Hess[lo:hi]
}

// weighRows multiplies the gradients and hessians of rows from first on by their weights.
func (b *Buffer) weighRows(first int, weights []float32) {
	for k := range b.Outputs {
		grad, hess := b.Output(k)
		sample.Scale(grad[first:first+len(weights)], weights)
		sample.Scale(hess[first:first+len(weights)], weights)
	}
}
