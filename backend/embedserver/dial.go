package embedserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Limits of a connection.
const (
	connectWithin = 2 * time.Second
	idleFor       = 10 * time.Second // before an unused connection is closed
	mostHeader    = 64 << 10         // bytes of an answer's header
)

// newClient returns a client that reaches this computer only.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{ // without Proxy, none is used
			DialContext: dial, IdleConnTimeout: idleFor, MaxIdleConns: 1, MaxResponseHeaderBytes: mostHeader, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// dial connects to a loopback address. It resolves no name: localhost is the two addresses
// that it always has.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	hosts := []string{host}
	if host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	dialer := net.Dialer{Timeout: connectWithin, Control: onlyLoopback}
	for _, host := range hosts {
		if !isLoopback(host) {
			return nil, errElsewhere
		}
		conn, failed := dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
		if failed == nil {
			return conn, nil
		}
		err = errors.Join(err, failed)
	}
	return nil, err
}

var errElsewhere = errors.New("not an address of this computer")

// onlyLoopback refuses the address that a socket is about to connect to, whatever it was
// called, unless it is this computer's.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err == nil && !isLoopback(host) {
		err = errElsewhere
	}
	return err
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && ip.Zone() == ""
}
