//go:build mpi

package ranks

import (
	"context"
	"os"

	"boost/internal/comm"
	"boost/internal/comm/mpi"
)

// launched returns the rank that mpirun or srun made this process, of how many (0 where that is not said), and what joins it to the
// others; nil where MPI has not started it. One that was started alone is joined to none.
func launched() (rank, size int, join func(ctx context.Context, version string) (comm.Comm, error)) {
	l, ok := mpi.Launched(os.Getenv)
	switch {
	case l.Size == 1:
		return 0, 1, func(context.Context, string) (comm.Comm, error) { return comm.Solo{}, nil }
	case !ok:
		return 0, 0, nil
	}
	return l.Rank, l.Size, func(ctx context.Context, version string) (comm.Comm, error) {
		c, err := mpi.Join(ctx, l, version)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}
