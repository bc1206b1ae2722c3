package cpu

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Level is a set of vector instructions that kernels are written for.
type Level int

// The levels, each containing the ones before it.
const (
	Generic Level = iota // plain Go
	AVX2                 // AVX2, BMI1, BMI2, LZCNT, POPCNT
	AVX512               // and AVX-512 F, BW, CD, DQ, VL
)

// String returns the word that BOOST_CPU takes.
func (l Level) String() string {
	switch l {
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return "generic"
}

// Variable is the environment variable that sets the highest level used.
const Variable = "BOOST_CPU"

// Best returns the highest level that the machine and this build have. It is
// Generic on other architectures than amd64 and with the build tag purego.
func Best() Level {
	if !assembly {
		return Generic
	}
	return best(cpuid.CPU.Supports)
}

func best(supports func(...cpuid.FeatureID) bool) Level {
	switch {
	case !supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT):
		return Generic
	case !supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL):
		return AVX2
	}
	return AVX512
}

// DotProducts reports whether the machine and this build have AVX-512 VNNI, the sums of products of
// bytes, which not every machine with AVX-512 has.
func DotProducts() bool { return Best() == AVX512 && cpuid.CPU.Supports(cpuid.AVX512VNNI) }

// NEON reports whether the vectors of arm64 are used, which every such processor has; no level stands for
// them. BOOST_CPU=generic does without.
func NEON() bool {
	return assembly && runtime.GOARCH == "arm64" && os.Getenv(Variable) != Generic.String()
}

// Use returns the level to use: the machine's best, or BOOST_CPU where that is
// lower. The note, if any, says that the machine lacks what was asked for; err
// says that the word is none of the three.
func Use() (use Level, note string, err error) {
	return choose(os.Getenv(Variable), Best())
}

func choose(word string, best Level) (use Level, note string, err error) {
	if word == "" {
		return best, "", nil
	}
	for l := Generic; l <= AVX512; l++ {
		if l.String() != word {
			continue
		}
		if l > best {
			return best, fmt.Sprintf("%s=%s: this machine has no %s, using %s", Variable, word, word, best), nil
		}
		return l, "", nil
	}
	return Generic, "", fmt.Errorf("%s=%q is unknown (there are generic, avx2, avx512)", Variable, word)
}

// Used returns what Use returned when it was first asked for, which is the level
// of all kernels in the life of a process. Where BOOST_CPU is not one of its words,
// which a program refuses with Use's error, it is Generic.
func Used() Level { return used() }

var used = sync.OnceValue(func() Level {
	level, _, _ := Use()
	return level
})
