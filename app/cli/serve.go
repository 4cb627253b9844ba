package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/app/terminal"
	"keepsake/backend/core"
)

func (d *door) serve() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the window to a browser on this machine",
		Long: "Shows the window to a browser on this machine. It prints an address that holds a one-time code: whoever opens it first\n" +
			"gets the page, and after that it opens nothing. Open it in one browser; further tabs of that browser go on from an open one.\n" +
			"When all tabs are closed, open the address without the code in that browser: a new one-time address is printed here, one at a\n" +
			"time. Another browser, or one that was ended since, needs a new start. The vault is unlocked on the page. Ctrl+C ends it;\n" +
			"what was prepared for download is removed then.",
		Args: exactly(0),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			return d.env.Serve(ctx, svc, addr, terminal.Writer(d.env.Stdout))
		}),
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; loopback only")
	return cmd
}
