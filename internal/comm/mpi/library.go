//go:build linux

package mpi

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ebitengine/purego"
)

// LibraryVariable is the environment variable that names the file of the MPI library, where the usual names do not find it.
const LibraryVariable = "BOOST_MPI_LIBRARY"

// library is an MPI library: its functions, and its values for the names of the standard. A handle is a pointer in Open MPI and an
// int in MPICH; both fit a uintptr.
type library struct {
	version string

	initThread, finalize, abort, commRank, commSize, test uintptr // functions
	allreduce, reduceScatter, allgather, bcast            uintptr // those that return at once: MPI_Iallreduce and so on

	world                              uintptr // MPI_COMM_WORLD
	anyBytes, uint32s, uint64s, int64s uintptr // MPI_BYTE, MPI_UINT32_T, MPI_UINT64_T, MPI_INT64_T
	sum, max                           uintptr // MPI_SUM, MPI_MAX
	ignore                             uintptr // MPI_STATUS_IGNORE
}

// threadFunneled is MPI_THREAD_FUNNELED of both, from the files that are named below: the thread that has called MPI_Init_thread
// makes all calls.
const threadFunneled = 1

// open loads the first library that is there.
func open(names []string, p *pages) (*library, error) {
	if name := os.Getenv(LibraryVariable); name != "" {
		names = []string{name}
	}
	var errs []error
	for _, name := range names {
		// Open MPI loads parts of itself, which look for its symbols among those of all.
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return load(name, handle, p)
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("there is no MPI library that fits what started this process: install Open MPI or MPICH, or set %s to the library's file: %w",
		LibraryVariable, errors.Join(errs...))
}

// load finds the functions and values of a library.
func load(name string, handle uintptr, p *pages) (*library, error) {
	l := &library{}
	var version uintptr
	symbols := map[string]*uintptr{
		"MPI_Get_library_version": &version, "MPI_Init_thread": &l.initThread, "MPI_Finalize": &l.finalize, "MPI_Abort": &l.abort,
		"MPI_Comm_rank": &l.commRank, "MPI_Comm_size": &l.commSize, "MPI_Test": &l.test,
		"MPI_Iallreduce": &l.allreduce, "MPI_Ireduce_scatter_block": &l.reduceScatter, "MPI_Iallgather": &l.allgather, "MPI_Ibcast": &l.bcast,
	}
	find := func() error {
		for symbol, to := range symbols {
			var err error
			if *to, err = purego.Dlsym(handle, symbol); err != nil {
				return fmt.Errorf("%s is no MPI library of version 3 or later: %w", name, err)
			}
		}
		return nil
	}
	if err := find(); err != nil {
		return nil, err
	}
	// MPI_MAX_LIBRARY_VERSION_STRING is 8192 in MPICH and 256 in Open MPI.
	if err := call(version, address(&p.give), address(&p.number)); err != nil {
		return nil, err
	}
	l.version, _, _ = strings.Cut(strings.TrimRight(string(p.give[:p.number]), "\x00"), "\n")
	if strings.HasPrefix(l.version, "Open MPI") {
		// mpi.h of Open MPI 4.1.4: MPI_COMM_WORLD is &ompi_mpi_comm_world, and so on; MPI_STATUS_IGNORE is 0. The same in 5.0.
		symbols = map[string]*uintptr{
			"ompi_mpi_comm_world": &l.world, "ompi_mpi_byte": &l.anyBytes, "ompi_mpi_uint32_t": &l.uint32s, "ompi_mpi_uint64_t": &l.uint64s, "ompi_mpi_int64_t": &l.int64s,
			"ompi_mpi_op_sum": &l.sum, "ompi_mpi_op_max": &l.max,
		}
		return l, find()
	}
	// mpi.h of MPICH 4.0.2. These numbers are the same in all libraries of MPICH's binary interface, such as Intel MPI.
	l.world = 0x44000000
	l.anyBytes, l.uint32s, l.uint64s, l.int64s = 0x4c00010d, 0x4c00043d, 0x4c00083e, 0x4c00083a
	l.max, l.sum = 0x58000001, 0x58000003
	l.ignore = 1
	return l, nil
}

// call calls a function of MPI. Without other wishes MPI itself ends the job, with a message, where one fails.
func call(function uintptr, arguments ...uintptr) error {
	if code, _, _ := purego.SyscallN(function, arguments...); int32(code) != 0 {
		return fmt.Errorf("MPI ends a call with code %d", int32(code))
	}
	return nil
}
