package core

import (
	"context"
	"crypto/rand"
	"path/filepath"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
)

// ConvertOptions say how exports are read, and who signs what is made of them.
type ConvertOptions struct {
	Import library.ImportOptions
	Key    string                 // key file that signs; "" leaves it unsigned
	Ask    func() ([]byte, error) // the key file's passphrase, where it has one
}

// Converted is what a conversion read and what it wrote.
type Converted struct {
	Import   library.ImportReport `json:"import"`
	Export   exports.ExportResult `json:"export"` // of the bundle before it was signed
	SignedBy *documents.KeyInfo   `json:"signed_by,omitempty"`
}

// Convert makes a PAM bundle at dest, a folder or a file that ends in .zip, of
// exports. The way goes through a vault with a passphrase that nobody knows, in
// the scratch folder: nothing lies open on the disk, and nothing stays. What was
// read is told with a fault of the writing, too.
func (s *Service) Convert(ctx context.Context, in []files.Input, dest string, o ConvertOptions, progress func(imports.Progress)) (c Converted, err error) {
	own, dir, leave, err := s.aside()
	if err != nil {
		return c, err
	}
	defer leave()
	if _, err := own.CreateVault(ctx, []byte(rand.Text()), "test"); err != nil {
		return c, err
	}
	report, err := own.Import(ctx, in, o.Import, progress)
	if err != nil {
		return c, err
	}
	c.Import = report
	bundle := dest
	if o.Key != "" {
		bundle = filepath.Join(dir, filepath.Base(dest))
	}
	everything := exports.ExportOptions{Unsigned: true, IncludeConversations: true, IncludeAttachments: true, IncludeEmbeddings: true}
	if c.Export, err = own.ExportPAM(ctx, bundle, everything); err != nil || o.Key == "" {
		return c, err
	}
	signer, err := own.SignFile(ctx, files.Input{Path: bundle}, o.Key, o.Ask, dest)
	c.Export.Path, c.SignedBy = dest, &signer
	return c, err
}
