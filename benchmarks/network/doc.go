// Package network simulates trainings over ranks on networks that this machine does not have, and models what they take.
//
// In: a table, and networks of so many ranks, Gbit/s and microseconds. Out: traces of the calls and the computing of each rank, the times that
// these take in network namespaces, and a model of them that goes to more ranks and rows.
//
// Ranks share the processors of one machine, so nothing is computed while time is measured: a trace has the processor time of each
// rank between its calls, measured while no other rank computed, and a replay makes the same calls and sleeps in between. All times of a
// replay are stretched (Gupta et al., To Infinity and Beyond: Time-Warped Network Emulation, NSDI 2006): a network k times as slow, k
// times as far, and ranks that compute k times as long take k times as long, and one machine can carry its bytes.
package network
