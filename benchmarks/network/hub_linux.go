package network

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// hub carries packets between ranks. Each rank has a cable of so many bytes a second in each direction to a switch, which sends a packet on
// as it comes in; a packet that finds the cable taken waits, and none is lost. The way takes delay.
//
// The kernel's own netem would do the same, where it is built in.
type hub struct {
	perByte float64 // nanoseconds
	delay   time.Duration
	began   time.Time
	ports   []*port
	reading sync.WaitGroup
	writing sync.WaitGroup
}

// port is a rank's end of its cable: a TUN device in its namespace, whose packets have no head but that of the kernel about segments.
type port struct {
	fd int
	up float64 // when the cable to the switch is free, in nanoseconds since began; for the goroutine that reads

	mu    sync.Mutex
	down  float64 // when that from the switch is
	queue chan packet
}

// packet is one on its way.
type packet struct {
	data *[]byte
	n    int
	due  time.Duration // since began
}

const (
	headBytes   = 10 // of struct virtio_net_hdr
	packetBytes = headBytes + 1<<16
	queued      = 1 << 16
	// frameBytes is what Ethernet adds to a packet: preamble, head, checksum and gap.
	frameBytes = 38
)

var buffers = sync.Pool{New: func() any { b := make([]byte, packetBytes); return &b }}

// wireBytes returns how many bytes a packet is on the cable, where a long one of TCP goes in segments, and the number of its receiver: the
// last byte of the address. It is ok if the packet is one of IPv4.
func wireBytes(b []byte) (wire, to int, ok bool) {
	if len(b) < headBytes+20 || b[headBytes]>>4 != 4 {
		return 0, 0, false
	}
	ip := b[headBytes:]
	segments, heads := 1, int(ip[0]&15)*4
	if size := int(binary.LittleEndian.Uint16(b[4:])); b[1] != unix.VIRTIO_NET_HDR_GSO_NONE && size > 0 && len(ip) > heads+12 {
		heads += int(ip[heads+12]>>4) * 4
		segments = max(1, (len(ip)-heads+size-1)/size)
	}
	return len(ip) + (segments-1)*heads + segments*frameBytes, int(ip[19]), true
}

// start carries packets until the devices are gone. The address of rank r ends in r+1.
func (h *hub) start() {
	h.began = time.Now()
	for _, p := range h.ports { // all queues before the first packet
		p.queue = make(chan packet, queued)
	}
	for _, p := range h.ports {
		h.reading.Go(func() { h.read(p) })
		h.writing.Go(func() { h.write(p) })
	}
}

// wait returns once the devices are gone and nothing is on its way.
func (h *hub) wait() {
	h.reading.Wait()
	for _, p := range h.ports {
		if p.queue != nil {
			close(p.queue)
		}
	}
	h.writing.Wait()
}

func (h *hub) read(p *port) {
	onTime()
	for {
		data := buffers.Get().(*[]byte)
		n, err := unix.Read(p.fd, *data)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		wire, to, ok := wireBytes((*data)[:n])
		if !ok || to < 1 || to > len(h.ports) {
			buffers.Put(data)
			continue
		}
		h.carry(p, h.ports[to-1], packet{data: data, n: n}, float64(wire)*h.perByte, float64(time.Since(h.began)))
	}
}

// carry says when a packet arrives that takes so long on a cable, and puts it into the receiver's queue.
func (h *hub) carry(from, to *port, p packet, takes, now float64) {
	from.up = max(from.up, now) + takes
	to.mu.Lock()
	defer to.mu.Unlock()
	to.down = max(to.down+takes, from.up)
	p.due = time.Duration(to.down) + h.delay
	select {
	case to.queue <- p:
	default: // as a switch whose memory is full
	}
}

func (h *hub) write(p *port) {
	onTime()
	for packet := range p.queue {
		sleep(packet.due - time.Since(h.began))
		_, _ = unix.Write(p.fd, (*packet.data)[:packet.n]) // a device that is gone ends read
		buffers.Put(packet.data)
	}
}
