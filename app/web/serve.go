package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"net"
	"time"

	"keepsake/app/bridge"
	"keepsake/app/loopback"
	"keepsake/backend/atomicfile"
	"keepsake/backend/core"
)

// Serve answers a browser on this machine until ctx ends. addr must name the
// loopback interface. The address to open is written to out, once.
func Serve(ctx context.Context, service *core.Service, assets fs.FS, addr string, out io.Writer) error {
	listener, err := loopback.Listen(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	atomicfile.TidyPassing()
	host := newHost()
	defer host.close()
	defer context.AfterFunc(ctx, host.close)() // event streams would be waited for
	b := bridge.New(ctx, service, host)
	defer b.Close()
	s := &server{
		bridge: b, service: service, host: host, assets: assets, methods: methods(b.Bound()),
		address: listener.Addr().(*net.TCPAddr), secrets: newSecrets(time.Now), session: rand.Text(), out: out,
	}
	s.announce(s.secrets.token)
	fmt.Fprintln(out, "The address works once, on this computer. Ctrl+C ends it.")
	return loopback.Serve(ctx, listener, s.handler())
}
