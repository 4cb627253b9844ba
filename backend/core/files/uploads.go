package files

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

// uploads holds files that a browser sent. Each is encrypted with a key that exists only in
// RAM, so it is unreadable once the process ends.
type uploads struct {
	mu   sync.Mutex
	held map[string]*Upload
}

// Upload is one uploaded file, in an encrypted temporary file.
type Upload struct {
	Name string
	Size int64
	Data intake.Scratch
}

// Opener opens Inputs (paths and uploads) and decrypts them.
type Opener struct {
	scratchDir string // folder for encrypted temporary files; created when needed
	newID      func() string
	derivation sync.Mutex // held while the key of an encrypted file is derived; no other lock is acquired then
	uploads    uploads
}

// NewOpener returns an Opener. It stores temporary files encrypted in scratchDir.
func NewOpener(scratchDir string, newID func() string) *Opener {
	return &Opener{scratchDir: scratchDir, newID: newID}
}

// Service has the operations on uploads that the app offers.
type Service struct{ opener *Opener }

// NewService returns a Service on the uploads of an Opener.
func NewService(o *Opener) *Service { return &Service{o} }

// AddUpload reads a stream into an encrypted temporary file and returns its id for
// Input.Upload. DropUpload (also called after an import) and DropAll delete the file.
func (s *Service) AddUpload(ctx context.Context, name string, r io.Reader) (id string, size int64, err error) {
	data, err := s.opener.NewScratch()
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(data, UntilDone(ctx, r))
	if err != nil {
		_ = data.Close()
		return "", 0, UploadFault(err)
	}
	id = s.opener.newID()
	s.opener.Hold(id, &Upload{Name: name, Size: size, Data: data})
	return id, size, nil
}

// Hold registers an upload under id until it is dropped.
func (s *Opener) Hold(id string, up *Upload) {
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	if s.uploads.held == nil {
		s.uploads.held = map[string]*Upload{}
	}
	s.uploads.held[id] = up
}

// contextReader is a reader that fails once its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// UntilDone returns a reader that fails with ctx.Err() once ctx is done.
func UntilDone(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

func (s contextReader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// UploadFault wraps an error of writing an upload; for a full disk it returns a fault.
func UploadFault(err error) error {
	if NoRoom(err) {
		return errDiskFull(err)
	}
	return fmt.Errorf("take upload: %w", err)
}

// NewScratch creates an encrypted temporary file, which Close deletes.
func (s *Opener) NewScratch() (*seal.Scratch, error) {
	if err := os.MkdirAll(s.scratchDir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	data, err := seal.NewScratch(s.scratchDir)
	if err != nil {
		return nil, UploadFault(err)
	}
	return data, nil
}

// DropUpload removes an upload; an unknown id is no error.
func (s *Service) DropUpload(id string) {
	s.opener.uploads.mu.Lock()
	defer s.opener.uploads.mu.Unlock()
	s.opener.uploads.drop(id)
}

func (u *uploads) drop(id string) {
	if up := u.held[id]; up != nil {
		_ = up.Data.Close()
		delete(u.held, id)
	}
}

// DropAll removes all uploads.
func (s *Opener) DropAll() {
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	for id := range s.uploads.held {
		s.uploads.drop(id)
	}
}

// Source returns the file, folder or upload that an Input names.
func (s *Opener) Source(in Input) (intake.Source, error) {
	if in.Upload == "" {
		return intake.FromPath(in.Path)
	}
	s.uploads.mu.Lock()
	defer s.uploads.mu.Unlock()
	up := s.uploads.held[in.Upload]
	if up == nil {
		return intake.Source{}, fault.New(fault.NotFound, "no-upload", "This file is no longer here.").Advise("Choose it again.")
	}
	return intake.FromReaderAt(up.Name, up.Size, up.Data), nil
}

// IntakeOptions makes package intake store unpacked content in encrypted temporary files.
func (s *Opener) IntakeOptions() intake.Options {
	return intake.Options{NewScratch: func() (intake.Scratch, error) { return s.NewScratch() }}
}
