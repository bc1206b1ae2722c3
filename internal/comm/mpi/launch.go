// Package mpi joins the ranks of a training over MPI: Open MPI 4 and 5, MPICH 4 and what has its binary interface, on Linux. The
// library is loaded when the program runs, so no C compiler is needed to build it.
//
// One thread makes all calls of MPI. It begins operations and asks for their end again and again, so that a context can end a call.
// MPI says nothing about a rank that has failed: who started the job ends all.
package mpi

import "strconv"

// Launch is what the program that started this process says of it.
type Launch struct {
	Rank, Size int // Size is 0 where it is not said
	libraries  []string
}

// Open MPI 4 and 5 have one name; that of MPICH 4 is Intel MPI's and MVAPICH's too, and Debian has its own.
var (
	openMPI = []string{"libmpi.so.40"}
	mpich   = []string{"libmpi.so.12", "libmpich.so.12"}
)

// launchers are what MPI programs are started by, those first whose variables others leave in the environment: mpirun may itself
// start its helpers with srun.
var launchers = []struct {
	rank, size string // environment variables
	needsSize  bool   // without it the process is no rank
	libraries  [][]string
}{
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true, [][]string{openMPI}},
	{"PMI_RANK", "PMI_SIZE", true, [][]string{mpich, openMPI}},                 // mpirun of MPICH, srun --mpi=pmi2
	{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", false, [][]string{openMPI, mpich}},   // srun --mpi=pmix, prterun
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true, [][]string{openMPI, mpich}}, // srun --mpi=none, which MPI finds out
}

// Launched returns how this process was started as one of several that MPI joins, by the variables of its environment; ok is false
// where it is alone.
func Launched(getenv func(string) string) (l Launch, ok bool) {
	for _, by := range launchers {
		rank, err := strconv.Atoi(getenv(by.rank))
		if err != nil {
			continue
		}
		size, err := strconv.Atoi(getenv(by.size))
		if err != nil && by.needsSize {
			continue
		}
		l = Launch{Rank: rank, Size: size}
		for _, names := range by.libraries {
			l.libraries = append(l.libraries, names...)
		}
		return l, size != 1
	}
	return Launch{}, false
}
