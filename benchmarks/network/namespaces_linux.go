package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Network is network namespaces, one for each rank, that are joined by links.
type Network struct {
	hub   hub
	names []string
}

// New makes a network of ranks. That takes root.
func New(ranks int, link Link) (w *Network, err error) {
	w = &Network{hub: hub{perByte: 8 / link.Gbit, delay: link.Delay}}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2*ranks+4)) // threads that come back from a wait find one free
	for r := range ranks {
		name := fmt.Sprintf("boost-%d-%d", os.Getpid(), r)
		if err := ip("netns", "add", name); err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.names = append(w.names, name)
		fd, err := openTUN("/run/netns/" + name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("a TUN device: %w", err), w.Close())
		}
		w.hub.ports = append(w.hub.ports, &port{fd: fd})
		for _, command := range [][]string{
			{"sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv4.tcp_congestion_control=bbr", "net.ipv4.tcp_slow_start_after_idle=0"},
			{"ip", "addr", "add", w.Address(r) + "/24", "dev", "tun0"},
			{"ip", "link", "set", "lo", "up"},
			{"ip", "link", "set", "tun0", "up", "mtu", "1500", "txqueuelen", "10000"},
			// The 40 ms for which an acknowledgement may be held back do not stretch with the network.
			{"ip", "route", "change", "10.77.0.0/24", "dev", "tun0", "quickack", "1"},
		} {
			if err := ip(append([]string{"netns", "exec", name}, command...)...); err != nil {
				return nil, errors.Join(err, w.Close())
			}
		}
	}
	w.hub.start()
	return w, nil
}

// ip runs the program of that name.
func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s (namespaces take root and iproute2)", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// openTUN makes the device tun0 in a namespace. It takes packets of TCP that are longer than the cable's.
func openTUN(namespace string) (fd int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and the thread, which changes its namespace, ends with the goroutine
		var in int
		if in, err = unix.Open(namespace, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return
		}
		defer unix.Close(in)
		if err = unix.Setns(in, unix.CLONE_NEWNET); err != nil {
			return
		}
		if fd, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
			return
		}
		var request *unix.Ifreq
		if request, err = unix.NewIfreq("tun0"); err != nil {
			return
		}
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
		if err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err == nil {
			err = unix.IoctlSetInt(fd, unix.TUNSETOFFLOAD, unix.TUN_F_CSUM|unix.TUN_F_TSO4)
		}
	}()
	<-done
	return fd, err
}

// Address returns the address of a rank.
func (w *Network) Address(rank int) string { return fmt.Sprintf("10.77.0.%d", rank+1) }

// Command returns a command that runs as a rank, ahead of what else the machine does: a rank that comes late would make all others wait.
func (w *Network) Command(ctx context.Context, rank int, command ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nice", append([]string{"-n", "-20", "ip", "netns", "exec", w.names[rank]}, command...)...)
}

// Run runs commands, one of each rank, for up to ten minutes, and returns what failed.
func (w *Network) Run(ctx context.Context, command func(ctx context.Context, rank int) *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	var started []*exec.Cmd
	var errs []error
	for rank := range w.names {
		c := command(ctx, rank)
		if err := c.Start(); err != nil {
			errs = append(errs, err)
			cancel()
			break
		}
		started = append(started, c)
	}
	for _, c := range started {
		errs = append(errs, c.Wait())
	}
	return errors.Join(errs...)
}

// Close takes the network down. Nothing runs in it any more.
func (w *Network) Close() error {
	var errs []error
	for i, name := range w.names {
		if i < len(w.hub.ports) {
			errs = append(errs, ip("-n", name, "link", "del", "tun0")) // ends reads
		}
	}
	w.hub.wait()
	for i, name := range w.names {
		if i < len(w.hub.ports) {
			unix.Close(w.hub.ports[i].fd)
		}
		errs = append(errs, ip("netns", "del", name))
	}
	return errors.Join(errs...)
}
