package cli

import (
	"github.com/spf13/cobra"

	"keepsake/app/terminal"
)

func (d *door) serve() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the window to a browser on this machine",
		Long: "Shows the window to a browser on this machine. It prints an address that holds a one-time code: whoever opens it first\n" +
			"gets the page, and after that it opens nothing. Open it in one browser; further tabs of that browser go on from an open one.\n" +
			"When all tabs are closed, or the browser was ended, open the address without the code in the same browser: a new one-time\n" +
			"address is printed here, one at a time. Another browser needs a new start. The page can do nothing until the vault is unlocked\n" +
			"in it. Ctrl+C ends it; what was prepared for download is removed then.",
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			return d.env.Serve(cmd.Context(), svc, addr, terminal.Writer(d.env.Stdout))
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; loopback only")
	return cmd
}
