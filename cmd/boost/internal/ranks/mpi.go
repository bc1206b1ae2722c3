//go:build mpi

package ranks

import (
	"context"
	"os"

	"boost/internal/comm"
	"boost/internal/comm/mpi"
)

// launched returns the rank that mpirun or srun made this process and what joins it to the others; nil where it is alone.
func launched() (rank int, join func(ctx context.Context, version string) (comm.Comm, error)) {
	l, ok := mpi.Launched(os.Getenv)
	if !ok {
		return 0, nil
	}
	return l.Rank, func(ctx context.Context, version string) (comm.Comm, error) {
		c, err := mpi.Join(ctx, l, version)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}
