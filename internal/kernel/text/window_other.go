//go:build !amd64 || purego

package text

// Usable says whether Read ever finds anything on this machine.
func Usable() bool { return false }

func (w *Window) read([]byte, int, byte, byte) (cells, numbers int) {
	w.n, w.next, w.ok = 0, 0, 0
	return 0, 0
}
