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

// opener opens what a person hands over: paths and uploads, through their encryption.
type opener struct {
	scratchDir string // made when needed
	newID      func() string
	derivation sync.Mutex // held while a key of an encrypted file is derived; no other lock is taken then
	uploads    uploads
}

// filesFace is what a person can ask of it.
type filesFace struct{ opener *opener }

func newFilesFace(o *opener) *filesFace { return &filesFace{o} }

// AddUpload takes a stream in, sealed, and returns the id that an Input names
// it by. It is removed by DropUpload, after an import of it, or by Close.
func (s *filesFace) AddUpload(ctx context.Context, name string, r io.Reader) (id string, size int64, err error) {
	data, err := s.opener.newScratch()
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(data, stopping{ctx, r})
	if err != nil {
		_ = data.Close()
		return "", 0, uploadFault(err)
	}
	id = s.opener.newID()
	s.opener.uploads.mu.Lock()
	defer s.opener.uploads.mu.Unlock()
	if s.opener.uploads.held == nil {
		s.opener.uploads.held = map[string]*upload{}
	}
	s.opener.uploads.held[id] = &upload{name: name, size: size, data: data}
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

func (s *opener) newScratch() (*seal.Scratch, error) {
	if err := os.MkdirAll(s.scratchDir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	data, err := seal.NewScratch(s.scratchDir)
	if err != nil {
		return nil, uploadFault(err)
	}
	return data, nil
}

// DropUpload removes an upload; an unknown id is no error.
func (s *filesFace) DropUpload(id string) {
	s.opener.uploads.mu.Lock()
	defer s.opener.uploads.mu.Unlock()
	s.opener.uploads.drop(id)
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
func (s *opener) source(in Input) (intake.Source, error) {
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

func (s *opener) intakeOptions() intake.Options {
	return intake.Options{NewScratch: func() (intake.Scratch, error) { return s.newScratch() }}
}
