package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

// settings says what was chosen for this computer that commands follow too.
func (d *door) settings() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "settings",
		Short: "Say what was chosen for this computer, and choose",
		Args:  onlyCommands,
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			return d.saySettings(ctx, svc)
		}),
	}
	cmd.AddCommand(d.embeddingServer())
	return cmd
}

func (d *door) embeddingServer() *cobra.Command {
	var server core.EmbeddingServer
	var api string
	cmd := &cobra.Command{
		Use:   "embedding-server ADDRESS --model NAME",
		Short: "Compare texts by a program on this computer, such as Ollama, instead of the built-in model",
		Long: "Texts of memories and of what you wrote in conversations go to that program, at an address of this computer such\n" +
			"as http://127.0.0.1:11434; what it does with them, Keepsake cannot know. All vectors are made anew. The server is\n" +
			"tried first, with sentences that are not yours. Without a server, which is how Keepsake comes, the built-in model\n" +
			"compares texts; review needs that one.",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if server.API, err = oneOf("kind of server", core.EmbeddingAPI(api), core.EmbeddingAPIs()); err != nil {
				return err
			}
			svc, err := d.service()
			if err != nil {
				return err
			}
			server.Address = args[0]
			return d.setEmbeddingServer(cmd.Context(), svc, server)
		},
	}
	cmd.Flags().StringVar(&api, "api", "ollama", "how it is asked: ollama (/api/embed) or openai (/v1/embeddings)")
	cmd.Flags().StringVar(&server.Model, "model", "", "the model it is asked for")
	cmd.AddCommand(&cobra.Command{
		Use:   "off",
		Short: "Compare texts by the built-in model again",
		Args:  exactly(0),
		RunE: d.onService(func(ctx context.Context, svc *core.Service, _ []string) error {
			return d.setEmbeddingServer(ctx, svc, core.EmbeddingServer{})
		}),
	})
	return cmd
}

func (d *door) setEmbeddingServer(ctx context.Context, svc *core.Service, server core.EmbeddingServer) error {
	if server != (core.EmbeddingServer{}) {
		tried, err := svc.TryEmbeddingServer(ctx, server)
		if err != nil {
			return err
		}
		d.note("It answers with vectors of %d numbers, in %d ms.", tried.Dimensions, tried.Elapsed.Milliseconds())
	}
	p, err := svc.Preferences(ctx)
	if err != nil {
		return err
	}
	p.EmbeddingServer = server
	if err := svc.SavePreferences(ctx, p); err != nil {
		return err
	}
	return d.saySettings(ctx, svc)
}

// settingsView is the JSON of the settings.
type settingsView struct {
	EmbeddingServer core.EmbeddingServer `json:"embedding_server,omitzero"`
}

func (d *door) saySettings(ctx context.Context, svc *core.Service) error {
	p, err := svc.Preferences(ctx)
	return d.answerUnless(err, settingsView{p.EmbeddingServer}, func() {
		if s := p.EmbeddingServer; s != (core.EmbeddingServer{}) {
			d.say("Texts are compared by %s (%s) at %s.", s.Model, s.API, s.Address)
			return
		}
		d.say("No embedding server is set.")
	})
}
