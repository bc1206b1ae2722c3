//go:build amd64 && !purego

package predict

import "boost/internal/cpu"

func levels() []string {
	var names []string
	for l := cpu.Generic; l <= cpu.Used(); l++ {
		names = append(names, l.String())
	}
	return names
}

func useLevel(name string) {
	for l := cpu.Generic; l <= cpu.Used(); l++ {
		if l.String() == name {
			vectors = l
		}
	}
}
