package commtest

import (
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// tried counts the ports that Addresses has tried in this process.
var tried atomic.Int64

// Addresses returns n different addresses of this machine, host:port, that nobody listens at. The ports are below those that systems give to
// connections, so that none of these takes one before a rank does, and processes begin at different ones.
func Addresses(n int) (addresses []string, err error) {
	const first, ports, each, tries = 10_000, 22_000, 64, 1_000
	for range tries {
		if len(addresses) == n {
			return addresses, nil
		}
		port := first + (os.Getpid()*each+int(tried.Add(1)))%ports
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			defer l.Close() // with those of the others
			addresses = append(addresses, l.Addr().String())
		}
	}
	return nil, err
}
