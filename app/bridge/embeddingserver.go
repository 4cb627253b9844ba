package bridge

import (
	"context"
	"strings"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// ServerView is a program on this computer that compares texts instead of the built-in model.
type ServerView struct {
	API     string `json:"api"`     // "ollama", "openai"
	Address string `json:"address"` // "": none
	Model   string `json:"model"`
}

// TriedServerView is what such a program answered.
type TriedServerView struct {
	Dimensions int   `json:"dimensions"` // numbers for a text
	Millis     int64 `json:"millis"`     // for one text
}

func (v ServerView) server() core.EmbeddingServer {
	if v.Address == "" {
		return core.EmbeddingServer{}
	}
	return core.EmbeddingServer{API: core.EmbeddingAPI(v.API), Address: v.Address, Model: v.Model}
}

// Server returns the program that compares texts.
func (s *Settings) Server() (ServerView, error) {
	return call(s.k, func(ctx context.Context) (ServerView, error) {
		p, err := s.k.core.Preferences(ctx)
		return ServerView{string(p.EmbeddingServer.API), p.EmbeddingServer.Address, p.EmbeddingServer.Model}, err
	})
}

// TryServer asks it to compare texts that are not the person's.
func (s *Settings) TryServer(view ServerView) (TriedServerView, error) {
	return call(s.k, func(ctx context.Context) (TriedServerView, error) {
		tried, err := s.k.core.TryEmbeddingServer(ctx, core.EmbeddingServer{API: core.EmbeddingAPI(view.API), Address: view.Address, Model: view.Model})
		return TriedServerView{tried.Dimensions, tried.Elapsed.Milliseconds()}, err
	})
}

// UseServer has it compare all texts from now on; without an address the built-in model does.
func (s *Settings) UseServer(view ServerView) error {
	return do(s.k, func(ctx context.Context) error {
		p, err := s.k.core.Preferences(ctx)
		if err != nil {
			return err
		}
		p.EmbeddingServer = view.server()
		return s.k.core.SavePreferences(ctx, p)
	})
}

// comparesNothing tells whether an error only says that no meaning can be compared now.
func comparesNothing(err error) bool {
	f := fault.From(err)
	return f != nil && (f.Reason == "no-model" || f.Reason == "review-not-measured" || strings.HasPrefix(f.Reason, "embedding-server-"))
}
