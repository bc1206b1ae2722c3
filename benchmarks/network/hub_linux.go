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
	sleep   func(time.Duration)
	ports   []*port
	reading sync.WaitGroup
	passing sync.WaitGroup
	writing sync.WaitGroup
}

// port is a rank's end of its cable: a TUN device in its namespace, whose packets have no head but that of the kernel about segments.
type port struct {
	fd  int
	up  float64     // when the cable to the switch is free, in nanoseconds since began; for the goroutine that reads
	out chan packet // on the cable to the switch

	mu   sync.Mutex
	down float64     // when the cable from the switch is free
	in   chan packet // that the switch has sent on
}

// packet is one on its way.
type packet struct {
	data  *[]byte
	n     int
	to    *port
	takes float64       // nanoseconds on a cable
	due   time.Duration // since began: at the switch, then at the receiver
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
	h.began, h.sleep = time.Now(), sleep
	for _, p := range h.ports { // all queues before the first packet
		p.out, p.in = make(chan packet, queued), make(chan packet, queued)
	}
	for _, p := range h.ports {
		h.reading.Go(func() { h.read(p) })
		h.passing.Go(func() { h.pass(p) })
		h.writing.Go(func() { h.write(p) })
	}
}

// wait returns once the devices are gone and nothing is on its way.
func (h *hub) wait() {
	if h.began.IsZero() {
		return
	}
	h.reading.Wait()
	for _, p := range h.ports {
		close(p.out)
	}
	h.passing.Wait()
	for _, p := range h.ports {
		close(p.in)
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
		p.send(packet{data: data, n: n, to: h.ports[to-1], takes: float64(wire) * h.perByte}, float64(time.Since(h.began)))
	}
}

// send puts a packet on the cable to the switch.
func (p *port) send(x packet, now float64) {
	p.up = max(p.up, now) + x.takes
	x.due = time.Duration(p.up)
	put(p.out, x)
}

// put is as a switch whose memory may be full.
func put(queue chan packet, x packet) {
	select {
	case queue <- x:
	default:
	}
}

// pass gives the packets of a rank to those that they are for, each once it is at the switch: until then, another rank's may come first.
func (h *hub) pass(p *port) {
	onTime()
	for x := range p.out {
		h.sleep(x.due - time.Since(h.began))
		x.to.receive(x, h.delay)
	}
}

// receive puts a packet that is at the switch on the cable from there. It goes on while it comes in.
func (p *port) receive(x packet, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = max(p.down+x.takes, float64(x.due))
	x.due = time.Duration(p.down) + delay
	put(p.in, x)
}

func (h *hub) write(p *port) {
	onTime()
	for x := range p.in {
		sleep(x.due - time.Since(h.began))
		_, _ = unix.Write(p.fd, (*x.data)[:x.n]) // a device that is gone ends read
		buffers.Put(x.data)
	}
}
