//go:build !amd64 || purego

package predict

func levels() []string { return []string{"generic"} }

func useLevel(string) {}
