package lifecycle

import (
	"context"
	"time"

	"keepsake/backend/core/meaning"
	"keepsake/backend/fault"
)

// TriedServer is what an embedding server answered.
type TriedServer struct {
	Dimensions int           // numbers in a vector
	Elapsed    time.Duration // of one question, once the server has its model
}

// triedText is what a server is asked to try it.
const triedText = "Which language do I like to speak?"

// TryEmbeddingServer asks a server for vectors of a few texts of its own; none of the vault
// is sent.
func (s *Service) TryEmbeddingServer(ctx context.Context, server meaning.Server) (TriedServer, error) {
	if err := server.Check(); err != nil {
		return TriedServer{}, err
	}
	if s.cfg.Meaning.Connect == nil {
		return TriedServer{}, fault.New(fault.Unsupported, "no-embedding-servers", "This Keepsake asks no embedding server.")
	}
	encoder, _, err := s.cfg.Meaning.Connect(ctx, server, nil)
	if err != nil {
		return TriedServer{}, err
	}
	began := time.Now()
	_, err = encoder.Embed(ctx, []string{triedText})
	return TriedServer{encoder.Dimensions(), time.Since(began)}, err
}

// embeddingServer is the server of the preferences; none where this program cannot ask one.
func (s *Service) embeddingServer() meaning.Server {
	if s.cfg.Meaning.Connect == nil {
		return meaning.Server{}
	}
	s.settings.Lock()
	defer s.settings.Unlock()
	return s.readPreferences().EmbeddingServer
}

// useEmbeddingServer has the open vault, if there is one, ask another server.
func (s *Service) useEmbeddingServer(ctx context.Context, server meaning.Server) {
	v, _, release, err := s.lib.Hold(ctx)
	if err != nil {
		return // the next unlock reads the preferences
	}
	defer release()
	meaning.Of(v).Use(server)
}
