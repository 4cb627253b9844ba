package embedserver

import (
	"errors"
	"net"
	"net/http"
	"testing"
)

// TestOnlyThisComputerIsConnectedTo: other addresses are refused before a socket connects, also
// those of this computer by which others reach it, and so is every name but localhost.
func TestOnlyThisComputerIsConnectedTo(t *testing.T) {
	l, err := net.Listen("tcp", ":0") // on all addresses of this computer
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan string, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- conn.LocalAddr().String()
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	hosts := []string{"192.0.2.1", "2001:db8::1", "0.0.0.0", "::", "10.0.0.1", "169.254.1.1", "fe80::1%lo", "::ffff:192.0.2.1", "localhost.example", "LOCALHOST", "0x7f.1", "127.1", ""}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && !ip.IsLoopback() {
			hosts = append(hosts, ip.String())
		}
	}
	for _, host := range hosts {
		address := net.JoinHostPort(host, port)
		if conn, err := dial(t.Context(), "tcp", address); !errors.Is(err, errElsewhere) {
			t.Errorf("%s: %v, %v", host, conn, err)
		}
		if err := onlyLoopback("tcp", address, nil); !errors.Is(err, errElsewhere) {
			t.Errorf("a socket may connect to %s: %v", host, err)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1"} { // and these are connected to
		conn, err := dial(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Fatal(host, err)
		}
		conn.Close()
		if at := <-accepted; at == "" {
			t.Errorf("%s was not connected to", host)
		}
	}
	l.Close()
	for at := range accepted {
		t.Errorf("%s was connected to", at)
	}
}

// TestNoProxyIsUsed: neither one of the environment nor another.
func TestNoProxyIsUsed(t *testing.T) {
	if newClient().Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy may be used")
	}
}

// TestLocalhostOfIPv6: a server that listens on ::1 alone is reached as localhost.
func TestLocalhostOfIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this computer has no IPv6: ", err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"localhost", "::1"} {
		conn, err := dial(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Fatal(host, err)
		}
		conn.Close()
	}
}
