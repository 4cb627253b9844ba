package core

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/seal"
)

// uploads are files that a browser sent. Each is sealed with a key that exists
// only in memory, and gone when the process is.
type uploads struct {
	mu   sync.Mutex
	held map[string]*upload
}

type upload struct {
	name string
	size int64
	data intake.Scratch
}

// AddUpload takes a stream in, sealed, and returns the id that an Input names
// it by. It is removed by DropUpload, after an import of it, or by Close.
func (s *Service) AddUpload(ctx context.Context, name string, r io.Reader) (id string, size int64, err error) {
	data, err := s.newScratch()
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(data, stopping{ctx, r})
	if err != nil {
		_ = data.Close()
		return "", 0, uploadFault(err)
	}
	id = s.lib.NewID()
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	if s.uploads.held == nil {
		s.uploads.held = map[string]*upload{}
	}
	s.uploads.held[id] = &upload{name: name, size: size, data: data}
	return id, size, nil
}

// stopping ends a copy when its context does.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func uploadFault(err error) error {
	if noRoom(err) {
		return errDiskFull(err)
	}
	return fmt.Errorf("take upload: %w", err)
}

func (s *Service) newScratch() (*seal.Scratch, error) {
	if err := os.MkdirAll(s.cfg.ScratchDir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	data, err := seal.NewScratch(s.cfg.ScratchDir)
	if err != nil {
		return nil, uploadFault(err)
	}
	return data, nil
}

// DropUpload removes an upload; an unknown id is no error.
func (s *Service) DropUpload(id string) {
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	s.uploads.drop(id)
}

func (u *uploads) drop(id string) {
	if up := u.held[id]; up != nil {
		_ = up.data.Close()
		delete(u.held, id)
	}
}

func (u *uploads) dropAll() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id := range u.held {
		u.drop(id)
	}
}

// source is what an Input stands for.
func (s *Service) source(in Input) (intake.Source, error) {
	if in.Upload == "" {
		return intake.FromPath(in.Path)
	}
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	up := s.uploads.held[in.Upload]
	if up == nil {
		return intake.Source{}, errNoUpload()
	}
	return intake.FromReaderAt(up.name, up.size, up.data), nil
}

func errNoUpload() error {
	return fault.New(fault.NotFound, "no-upload", "This file is no longer here.").Advise("Choose it again.")
}

func (s *Service) intakeOptions() intake.Options {
	return intake.Options{NewScratch: func() (intake.Scratch, error) { return s.newScratch() }}
}
