package mpi

import (
	"slices"
	"testing"
)

func TestLaunched(t *testing.T) {
	type env = map[string]string
	for _, test := range []struct {
		name       string
		env        env
		ok         bool
		rank, size int
		library    string // the first
	}{
		{"by hand", env{}, false, 0, 0, ""},
		{"in the script of a Slurm job", env{"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, false, 0, 0, ""},
		{"mpirun of Open MPI", env{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3", "PMIX_RANK": "2"}, true, 2, 3, "libmpi.so.40"},
		{"mpirun of Open MPI, by srun", env{"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8", "PMIX_RANK": "5", "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}, true, 5, 8, "libmpi.so.40"},
		{"mpirun of MPICH", env{"PMI_RANK": "1", "PMI_SIZE": "2"}, true, 1, 2, "libmpi.so.12"},
		{"srun --mpi=pmix", env{"PMIX_RANK": "3", "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4"}, true, 3, 4, "libmpi.so.40"},
		{"prterun", env{"PMIX_RANK": "3"}, true, 3, 0, "libmpi.so.40"},
		{"srun --mpi=none", env{"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "4"}, true, 1, 4, "libmpi.so.40"},
		{"mpirun of one", env{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, false, 0, 1, "libmpi.so.40"},
	} {
		l, ok := Launched(func(name string) string { return test.env[name] })
		if ok != test.ok || l.Rank != test.rank || l.Size != test.size || slices.Index(l.libraries, test.library) > 0 || test.library == "" != (l.libraries == nil) {
			t.Errorf("%s: %+v, %v", test.name, l, ok)
		}
	}
}
