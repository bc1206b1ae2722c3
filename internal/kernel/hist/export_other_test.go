//go:build !amd64 || purego

package hist

// PackInGo makes no difference here.
func PackInGo(bool) {}
