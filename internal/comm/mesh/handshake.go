package mesh

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"time"

	"boost/internal/comm"
)

// Two ranks find each other so. D is the one that connected, A the one that was connected to; with TLS all of it is inside.
//
//	D → A  hello
//	A → D  hello
//	D → A  HMAC-SHA256 of "dialer", both hellos and what is unique to the TLS connection; the key is the token
//	A → D  verdict: 32 bits of length, then 0 and the same HMAC of "accepter", 1 and why D is turned away, or 2 and the failure that A ends with
//
// A hello begins with 8 bytes that no other program sends, the version of this protocol in 16 bits, and the length of the
// JSON object that follows in 16 bits. Each has a new random number, so that no HMAC serves twice.
const (
	magic    = "boostRNK"
	protocol = 3
	maxHello = 2000
)

// Verdicts.
const (
	accepted = iota
	turnedAway
	hasFailed
)

// channel is what a connection is for.
type channel string

const (
	forControl channel = "control"
	forData    channel = "data"
)

// hello is what a rank says of itself.
type hello struct {
	Rank     int     `json:"rank"`
	To       int     `json:"to"` // the rank that should be at the other end, of D
	Size     int     `json:"size"`
	Run      string  `json:"run"`
	Version  string  `json:"version"`
	Channel  channel `json:"channel,omitempty"` // of D
	Instance string  `json:"instance"`
	Nonce    string  `json:"nonce"`
}

// errToken is what a connection ends with whose other end has another token, or none.
var errToken = errors.New("it has another token")

// hello returns that of this rank, encoded.
func (j *joining) hello(to int, channel channel) []byte {
	body, err := json.Marshal(hello{j.rank, to, j.Size(), j.o.Run, j.o.Version, channel, j.instance, rand.Text()})
	if err != nil {
		panic(err) // strings and numbers
	}
	out := binary.LittleEndian.AppendUint16([]byte(magic), protocol)
	return append(binary.LittleEndian.AppendUint16(out, uint16(len(body))), body...)
}

// readHello returns the hello of the other end, and its bytes.
func readHello(r io.Reader) (h hello, raw []byte, err error) {
	raw = make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, raw); err != nil {
		return h, nil, fmt.Errorf("no rank answers there: %w", err)
	}
	version, length := binary.LittleEndian.Uint16(raw[len(magic):]), int(binary.LittleEndian.Uint16(raw[len(magic)+2:]))
	switch {
	case string(raw[:len(magic)]) != magic:
		return h, nil, errors.New("it does not speak as a rank does (if it is one: TLS is on at only one of the two)")
	case version != protocol:
		return h, nil, fmt.Errorf("it has version %d of the protocol, this rank version %d: run the same program everywhere", version, protocol)
	case length > maxHello:
		return h, nil, fmt.Errorf("its hello has %d bytes", length)
	}
	raw = append(raw, make([]byte, length)...)
	if _, err := io.ReadFull(r, raw[len(magic)+4:]); err != nil {
		return h, nil, fmt.Errorf("it ended within its hello: %w", err)
	}
	if err := json.Unmarshal(raw[len(magic)+4:], &h); err != nil {
		return h, nil, fmt.Errorf("its hello is damaged: %w", err)
	}
	return h, raw, nil
}

// differs returns what of the other rank is not as it should be.
func (j *joining) differs(h hello) error {
	switch {
	case h.Run != j.o.Run:
		return fmt.Errorf("it belongs to run %q, this rank to %q", h.Run, j.o.Run)
	case h.Version != j.o.Version:
		return fmt.Errorf("it runs version %q, this rank %q", h.Version, j.o.Version)
	case h.Size != j.Size():
		return fmt.Errorf("it is one of %d ranks, this rank one of %d", h.Size, j.Size())
	}
	return nil
}

// blame returns an error that ends the training because of another rank.
func (j *joining) blame(rank int, c net.Conn, err error) error {
	if rank >= j.Size() {
		rank = -1
	}
	return &comm.Error{Rank: rank, Text: fmt.Sprintf("at %v: %v", c.RemoteAddr(), err)}
}

// introduce connects to p as D.
func (j *joining) introduce(c net.Conn, p *peer, channel channel, stop func() bool) (kept bool, err error) {
	var unique []byte
	if j.tls != nil {
		if c, unique, err = secured(j.ctx, tls.Client(c, j.tls)); err != nil {
			return false, err
		}
	}
	mine := j.hello(p.rank, channel)
	if _, err := c.Write(mine); err != nil {
		return false, err
	}
	its, raw, err := readHello(c)
	if err != nil {
		return false, err
	}
	// Behind the proof, the other end may have kept the connection before its verdict is here. Where the wait ends now, this end still keeps
	// it too, to tell why this rank leaves.
	if !stop() {
		return false, context.Cause(j.ctx)
	}
	stop = context.AfterFunc(j.ctx, func() { _ = c.SetDeadline(time.Now().Add(TellWithin)) })
	defer stop()
	if _, err := c.Write(j.proof("dialer", mine, raw, unique)); err != nil {
		return false, err
	}
	difference := j.differs(its)
	if difference == nil && its.Rank != p.rank {
		difference = fmt.Errorf("it is rank %d: the addresses are in another order there", its.Rank)
	}
	text, err := readVerdict(c)
	switch {
	case err != nil:
		return false, err
	case text[0] == turnedAway && difference != nil:
		return false, j.blame(p.rank, c, difference)
	case text[0] == hasFailed && len(text) > leastFailure:
		_, cause := causeOf(text[1:])
		return false, cause
	case text[0] == turnedAway:
		return false, j.blame(p.rank, c, fmt.Errorf("it turns this rank away: %s", text[1:]))
	case !hmac.Equal(text[1:], j.proof("accepter", mine, raw, unique)):
		return false, j.blame(p.rank, c, errToken)
	case difference != nil:
		return false, j.blame(p.rank, c, difference)
	}
	stop() // before the connection is kept: the wait may end because of that
	if err := j.keep(c, p, channel, its.Instance, func() bool { return true }, nil); err != nil {
		return false, err
	}
	return true, nil
}

// receive finds out as A who connected.
func (j *joining) receive(c net.Conn, stop func() bool) (kept bool, err error) {
	var unique []byte
	if j.tls != nil {
		if c, unique, err = secured(j.ctx, tls.Server(c, j.tls)); err != nil {
			return false, err
		}
	}
	its, raw, err := readHello(c)
	mine := j.hello(-1, "")
	if err == nil || raw != nil {
		_, _ = c.Write(mine)
	}
	if err != nil {
		return false, err
	}
	proof := make([]byte, sha256.Size)
	if _, err := io.ReadFull(c, proof); err != nil {
		return false, fmt.Errorf("it ended before it showed the token: %w", err)
	}
	if !hmac.Equal(proof, j.proof("dialer", raw, mine, unique)) {
		writeVerdict(c, turnedAway, []byte("the tokens differ"))
		return false, errToken
	}
	// From here on the other end is no stranger.
	err = j.differs(its)
	switch {
	case err != nil:
		if its.Run == j.o.Run {
			err = j.blame(its.Rank, c, err)
		}
	case its.To != j.rank:
		err = fmt.Errorf("it looked for rank %d, this is rank %d: the addresses are in another order there", its.To, j.rank)
	case its.Rank <= j.rank || its.Rank >= j.Size():
		err = fmt.Errorf("it is rank %d of %d, which does not connect to rank %d: is a rank there twice?", its.Rank, its.Size, j.rank)
	default:
		err = j.keep(c, j.peers[its.Rank], its.Channel, its.Instance, stop, j.proof("accepter", raw, mine, unique))
	}
	var failed *failedError
	switch {
	case errors.As(err, &failed) && failed.told != nil:
		writeVerdict(c, hasFailed, failed.told)
	case err != nil:
		writeVerdict(c, turnedAway, []byte(err.Error()))
	}
	return err == nil, err
}

// proof returns what only who has the token can make.
func (j *joining) proof(role string, dialer, accepter, unique []byte) []byte {
	mac := hmac.New(sha256.New, []byte(j.o.Token))
	for _, part := range [][]byte{[]byte(role), dialer, accepter, unique} {
		mac.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

func writeVerdict(w io.Writer, verdict byte, text []byte) {
	_, _ = w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(1+len(text))), append([]byte{verdict}, text...)...))
}

func readVerdict(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, fmt.Errorf("it ended before its verdict: %w", err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n == 0 || n > maxHello {
		return nil, fmt.Errorf("its verdict has %d bytes", n)
	}
	verdict := make([]byte, n)
	if _, err := io.ReadFull(r, verdict); err != nil {
		return nil, fmt.Errorf("it ended within its verdict: %w", err)
	}
	return verdict, nil
}

// ephemeral returns the settings of TLS between ranks that know each other by the token alone: the certificate is new and nobody checks it.
// Who stands between two ranks has two connections with different keys, so the proofs of the token, which cover a value made of the keys, do
// not fit.
func ephemeral() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		InsecureSkipVerify:     true, // the proofs of the token verify
		SessionTicketsDisabled: true,
	}, nil
}

// secured returns a connection with TLS, and a value that only its two ends have.
func secured(ctx context.Context, c *tls.Conn) (net.Conn, []byte, error) {
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, nil, fmt.Errorf("TLS: %w (if it is a rank: TLS is on at only one of the two)", err)
	}
	state := c.ConnectionState()
	value, err := state.ExportKeyingMaterial("EXPORTER-boost-ranks", nil, sha256.Size)
	return c, value, err
}
