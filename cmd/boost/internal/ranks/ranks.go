// Package ranks lets processes join as the ranks of one training.
//
// In: the flags of the command line, an input that has the addresses of all ranks. Out: what joins them. It must not
// know what is trained.
package ranks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/exit"
	"boost/internal/comm"
	"boost/internal/comm/mesh"
)

// TokenVariable is the environment variable of the secret that ranks know each other by.
const TokenVariable = "BOOST_TOKEN"

// Flags say which rank a process is, and how it finds the others.
type Flags struct {
	Count     int    // ranks to be started here; 0 for none
	Share     bool   // each rank is given its own tables
	Split     bool   // all are given the same tables, and each reads a part
	ShareRows int    // of all ranks; 0 for any number
	Features  bool   // each rank has all rows, and searches some of the features
	place     string // as 1/4
	listen    string
	peers     []string
	tls       bool
	wait      time.Duration

	rank, size int                                                          // of place, or by MPI; size is 0 where that is not known
	join       func(ctx context.Context, version string) (comm.Comm, error) // by MPI; nil where that does not join the ranks
	met        bool                                                         // the others know of this rank, also of its end
}

// Add gives a command the flags.
func (f *Flags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.Count, "ranks", 0, "train in `N` processes that are started here and each have a part of the rows")
	flags.StringVar(&f.place, "rank", "", "be rank `R/N` of a training in N processes, from 0/N on; "+TokenVariable+" is a secret that all have")
	flags.BoolVar(&f.Share, "share", false, "the tables given to a rank are its own rows, which follow those of the ranks before; without, each rank is given all")
	flags.BoolVar(&f.Split, "split", false, "each rank reads its part of the tables, by their bytes; without, each reads all of them")
	flags.BoolVar(&f.Features, "by-features", false, "each rank has all rows, and searches splits among some of the features: for tables of many columns")
	flags.IntVar(&f.ShareRows, "share-rows", 0, "number of `ROWS` that all ranks have together; another number is an error")
	flags.StringVar(&f.listen, "listen", ":0", "`HOST:PORT` where the other ranks find this one; port 0 is a free one")
	flags.StringSliceVar(&f.peers, "peers", nil, "`HOST:PORT` of each rank, from rank 0 on; without, this rank's is printed and all are read from standard input")
	flags.BoolVar(&f.tls, "tls", false, "encrypt what ranks send")
	flags.DurationVar(&f.wait, "join-wait", 2*time.Minute, "`TIME` to wait for all ranks")
}

// Check reads the flags.
func (f *Flags) Check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	placeErr := f.readPlace()
	if given("share-rows") && (!f.Share && !f.Split || f.ShareRows < 1) {
		return exit.Usagef("--share-rows is the number of rows that ranks share, at least 1: give it with --share or --split")
	}
	if f.Share && f.Split {
		return exit.Usagef("--share gives each rank tables of its own, and --split a part of the same ones: leave one of them out")
	}
	if f.Features && (f.Share || f.Split) {
		return exit.Usagef("--by-features has all rows at each rank, and --share and --split a part: leave one of them out")
	}
	if over := f.overMPI(given); over != "" {
		return exit.Usagef("--%s is for ranks that join over TCP, and mpirun or srun has started this process as rank %d of a training over MPI: leave one of them out", over, f.rank)
	}
	if f.join != nil {
		return nil
	}
	if given("ranks") && given("rank") {
		return exit.Usagef("--ranks starts all ranks here, and --rank is one of them: leave one of them out")
	}
	if given("ranks") && f.Count < 1 {
		return exit.Usagef("--ranks %d: at least 1", f.Count)
	}
	for _, name := range []string{"listen", "peers", "join-wait", "share"} {
		if given(name) && f.place == "" {
			return exit.Usagef("--%s is for a rank: say which one with --rank R/N", name)
		}
	}
	for _, name := range []string{"tls", "split", "by-features"} {
		if given(name) && f.place == "" && f.Count == 0 {
			return exit.Usagef("--%s is for ranks: give --rank R/N or --ranks N", name)
		}
	}
	if f.wait <= 0 {
		return exit.Usagef("--join-wait %v: expected a time above 0, as 2m", f.wait)
	}
	if f.place == "" || placeErr != nil {
		return placeErr
	}
	if len(f.peers) > 0 && len(f.peers) != f.size {
		return exit.Usagef("--peers has %d addresses, and there are %d ranks", len(f.peers), f.size)
	}
	for _, peer := range f.peers {
		if _, _, err := net.SplitHostPort(peer); err != nil {
			return exit.Usagef("--peers %s: expected HOST:PORT", peer)
		}
	}
	if token := os.Getenv(TokenVariable); token == "" {
		return exit.Usagef("ranks know each other by a secret: set the environment variable %s to the same random text of %d characters or more for all", TokenVariable, mesh.MinToken)
	} else if len(token) < mesh.MinToken {
		return exit.Usagef("%s has %d characters: give all ranks the same random text of %d or more", TokenVariable, len(token), mesh.MinToken)
	}
	return nil
}

// readPlace reads which rank this is, where that is given.
func (f *Flags) readPlace() error {
	if f.place == "" {
		return nil
	}
	before, after, ok := strings.Cut(f.place, "/")
	rank, err := strconv.Atoi(before)
	size, sizeErr := strconv.Atoi(after)
	if !ok || err != nil || sizeErr != nil || rank < 0 || rank >= size {
		return exit.Usagef("--rank %s: expected R/N, as 0/4 for the first of four", f.place)
	}
	f.rank, f.size = rank, size
	return nil
}

// overMPI finds out whether MPI joins the ranks, and returns a flag that is not for these, "" for none. A process that it has started
// alone is what it is without MPI, but may be given what ranks are.
func (f *Flags) overMPI(given func(string) bool) (flag string) {
	rank, size, join := launched()
	names := []string{"ranks", "rank", "listen", "peers", "tls", "join-wait"}
	at := slices.IndexFunc(names, given)
	if join == nil || size == 1 && (at >= 0 || !f.Share && !f.Split && !f.Features) {
		return ""
	}
	if f.rank, f.size, f.join = rank, size, join; at >= 0 {
		return names[at]
	}
	return ""
}

// Several reports whether there are ranks beside this one.
func (f *Flags) Several() bool { return f.Count > 1 || f.size > 1 || f.join != nil && f.size == 0 }

// Settings adds what all ranks are given alike to their other settings.
func (f *Flags) Settings(all map[string]string) {
	for name, given := range map[string]bool{"--share": f.Share, "--split": f.Split, "--by-features": f.Features} {
		if given {
			all[name] = "given"
		}
	}
	if f.ShareRows > 0 {
		all["--share-rows"] = strconv.Itoa(f.ShareRows)
	}
}

// ReadsInput reports whether the rank reads addresses on standard input, or is one of those that are started here, which do.
func (f *Flags) ReadsInput() bool { return f.Count > 0 || f.place != "" && len(f.peers) == 0 }

// Others reports whether this process is a rank other than the first, which leaves messages and files to that.
func (f *Flags) Others() bool { return f.rank > 0 }

// Named says at which rank an error is, where the messages of all come to one place.
func (f *Flags) Named(err error) error {
	if err == nil || f.join == nil || f.rank == 0 {
		return err
	}
	return fmt.Errorf("rank %d: %w", f.rank, err)
}

// Join joins the ranks: nil where there is one process. The address of this one is told on out and those of all are read from in, unless
// they were given. version is the program's, which all ranks share.
func (f *Flags) Join(ctx context.Context, in io.Reader, out io.Writer, version string) (comm.Comm, error) {
	if f.join != nil {
		f.met = true
		return f.join(ctx, version)
	}
	if f.place == "" {
		return nil, nil
	}
	l, err := mesh.Listen(f.listen)
	if err != nil {
		return nil, err
	}
	addresses := f.peers
	if len(addresses) == 0 {
		if addresses, err = f.tell(ctx, l.Addr(), in, out); err != nil {
			l.Close()
			return nil, err
		}
	}
	f.met = true
	m, err := l.Connect(ctx, f.rank, addresses, f.options(version))
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (f *Flags) options(version string) mesh.Options {
	return mesh.Options{Token: os.Getenv(TokenVariable), Version: version, TLS: f.tls, Wait: f.wait}
}

// CannotStart returns an error of this rank. Where it is one from before it meets the others, those that it knows the addresses of are told
// first, so that they do not wait for it: it connects with them, which takes mesh.TellWithin at most, and leaves.
func (f *Flags) CannotStart(ctx context.Context, version string, err error) error {
	switch {
	case err == nil || f.met:
		return err
	case f.join != nil:
		return f.Named(err) // MPI ends the others
	case f.size < 2 || len(f.peers) != f.size:
		return err
	}
	l, listenErr := mesh.Listen(f.listen)
	if listenErr != nil { // those below this one are told, and tell all others
		if l, listenErr = mesh.Listen("127.0.0.1:0"); listenErr != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("could not start: " + comm.Blame(f.rank, err).Text))
	_, _ = l.Connect(ctx, f.rank, f.peers, f.options(version))
	return err
}

// tell prints where this rank listens, and reads where all do. The addresses may be on their way when ctx is done.
func (f *Flags) tell(ctx context.Context, address string, in io.Reader, out io.Writer) ([]string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = reachable()
	}
	if _, err := fmt.Fprintln(out, "address "+net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	read := make(chan []string, 1)
	go func() { read <- readAddresses(in, f.size) }()
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(mesh.TellWithin, cancel) })()
	var addresses []string
	select {
	case addresses = <-read:
	case <-waiting.Done():
		return nil, comm.Stopped(ctx)
	}
	if len(addresses) != f.size {
		return nil, fmt.Errorf("%w: %d addresses came on standard input, and there are %d ranks: write those that all ranks print, from rank 0 on", comm.ErrComm, len(addresses), f.size)
	}
	if StartedHere() {
		go func() {
			_, _ = io.Copy(io.Discard, in)
			os.Exit(exit.Interrupted) // who has started all ranks is gone
		}()
	}
	return addresses, nil
}

// readAddresses reads as many addresses as there are ranks; fewer where the input ends before.
func readAddresses(in io.Reader, ranks int) (addresses []string) {
	lines := bufio.NewScanner(in)
	for len(addresses) < ranks && lines.Scan() {
		addresses = append(addresses, strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' })...)
	}
	return addresses
}

// reachable returns an address of this machine for others: the first that is no loopback, where there is one.
func reachable() string {
	found := "127.0.0.1"
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return found
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			if ip.IP.To4() != nil {
				return ip.IP.String()
			}
			found = ip.IP.String()
		}
	}
	return found
}
