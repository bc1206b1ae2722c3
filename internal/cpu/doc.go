// Package cpu says what the machine offers this process: threads, caches, memory
// and instruction sets.
//
// In: /proc, /sys, the CPU's own words and the environment variable BOOST_CPU. Out:
// numbers that choose how to compute, never what: no result depends on them. It
// must not know what is computed.
package cpu
