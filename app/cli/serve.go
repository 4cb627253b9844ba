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
		Args:  exactly(0),
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
