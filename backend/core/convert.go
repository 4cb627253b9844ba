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

// ConvertOptions say how Convert reads exports, and which key signs the result.
type ConvertOptions struct {
	Import library.ImportOptions
	Key    string                 // key file to sign with; "": the result is not signed
	Ask    func() ([]byte, error) // returns the key file's passphrase, if it is encrypted
}

// Converted is the result of Convert: the import report and the export.
type Converted struct {
	Import   library.ImportReport `json:"import"`
	Export   exports.ExportResult `json:"export"` // describes the bundle before it was signed
	SignedBy *documents.KeyInfo   `json:"signed_by,omitempty"`
}

// Convert reads exports and writes them as a PAM bundle to dest, a folder or a file that
// ends in .zip. It imports them into a temporary vault in the scratch folder, encrypted
// with a random passphrase, and removes the vault afterwards. Only the bundle is written
// in plaintext; with o.Key its unsigned form lies in the scratch folder until it is
// signed. If writing fails, c still holds the import report.
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
