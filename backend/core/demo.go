package core

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/lifecycle"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// aside returns a Service whose vault, not created yet, is in a temporary folder. leave
// closes the Service and removes the folder.
func (s *Service) aside() (own *Service, dir string, leave func(), err error) {
	folder, err := lifecycle.NewScratchFolder(s.cfg.ScratchDir)
	if err != nil {
		return nil, "", nil, err
	}
	dir = folder.Path
	remove := func() {
		_ = os.RemoveAll(dir)
		folder.Close()
	}
	own, err = New(Config{
		VaultDir: filepath.Join(dir, "vault"), ScratchDir: filepath.Join(dir, "scratch"), Importers: s.cfg.Importers,
		Now: s.cfg.Now, NewID: s.lib.NewID, Cipher: s.cfg.Cipher,
	})
	if err != nil {
		remove()
		return nil, "", nil, err
	}
	return own, dir, func() {
		_ = own.Close()
		remove()
	}, nil
}

// Demo imports the built-in sample into a temporary vault, edits, exports and verifies it,
// and calls tell after each step. It leaves no files.
func (s *Service) Demo(ctx context.Context, tell func(DemoStep)) (result DemoResult, err error) {
	own, dir, leave, err := s.aside()
	if err != nil {
		return result, err
	}
	defer leave()
	d := &demo{Service: own, tell: tell, dir: dir}
	for _, step := range []func(context.Context) error{d.vault, d.read, d.found, d.retract, d.relate, d.export, d.verify} {
		if err := step(ctx); err != nil {
			return d.result, err
		}
	}
	return d.result, nil
}

// demo is the state of one call of Demo.
type demo struct {
	*Service
	tell   func(DemoStep)
	dir    string
	result DemoResult
}

func (d *demo) say(name, format string, args ...any) {
	step := DemoStep{Name: name, Text: fmt.Sprintf(format, args...)}
	d.result.Steps = append(d.result.Steps, step)
	if d.tell != nil {
		d.tell(step)
	}
}

func (d *demo) vault(ctx context.Context) error {
	if _, err := d.CreateVault(ctx, []byte(rand.Text()), "test"); err != nil {
		return err
	}
	d.say("vault", "Made a throw-away vault, sealed with a passphrase that nobody knows.")
	return nil
}

func (d *demo) read(ctx context.Context) (err error) {
	if d.result.Import, err = lifecycle.ImportSample(ctx, d.lifecycleService); err != nil {
		return err
	}
	r := d.result.Import
	d.say("import", "Read a ChatGPT and a Claude export: %d conversations, %d messages.", r.Conversations.New, r.Messages.New)
	return nil
}

func (d *demo) found(ctx context.Context) error {
	page, err := d.Memories(ctx, browse.MemoryQuery{})
	if err != nil {
		return err
	}
	merged := d.result.Import.Memories.Merged
	d.say("memories", "Found %d memories. Statements that said the same again, and were merged: %d.", page.Total, merged)
	return nil
}

// about returns the first memory that a search for these words finds.
func (d *demo) about(ctx context.Context, words string) (memory.Record, error) {
	page, err := d.Memories(ctx, browse.MemoryQuery{Text: words, Limit: 1})
	if err != nil {
		return memory.Record{}, err
	}
	if len(page.Items) == 0 {
		return memory.Record{}, fault.New(fault.Internal, "sample-incomplete", "The built-in sample could not be read whole.")
	}
	return page.Items[0], nil
}

func (d *demo) retract(ctx context.Context) error {
	m, err := d.about(ctx, "redoing kitchen")
	if err != nil {
		return err
	}
	if _, err := d.SetStatus(ctx, m.ID, memory.Retracted, ""); err != nil {
		return err
	}
	d.say("retract", "Retracted %q: it is no longer true.", m.Content)
	return nil
}

func (d *demo) relate(ctx context.Context) error {
	reason, err := d.about(ctx, "prefers trains")
	if err != nil {
		return err
	}
	plan, err := d.about(ctx, "travel train")
	if err != nil {
		return err
	}
	if _, err := d.Relate(ctx, reason.ID, memory.Supports, plan.ID); err != nil {
		return err
	}
	d.say("relate", "Related two memories: %q supports %q", reason.Content, plan.Content)
	return nil
}

func (d *demo) export(ctx context.Context) (err error) {
	d.result.Export, err = d.ExportPAM(ctx, filepath.Join(d.dir, "sample.pam.json"), exports.ExportOptions{})
	if err != nil {
		return err
	}
	d.say("export", "Exported %d memories as signed PAM, %d bytes, %s.", d.result.Export.Memories, d.result.Export.Bytes, d.result.Export.Checksum)
	return nil
}

func (d *demo) verify(ctx context.Context) error {
	file := files.Input{Path: d.result.Export.Path}
	report, err := d.Verify(ctx, file, nil)
	if err != nil {
		return err
	}
	validation, err := d.Validate(ctx, file)
	if err != nil {
		return err
	}
	d.result.Verified = report.Verdict == documents.VerdictOwn && report.Valid && validation.Valid
	if d.result.Verified {
		d.say("verify", "The file verified: signed by this vault's key %s, and valid in %d checks.", report.Fingerprint, validation.ChecksRun)
	} else {
		d.say("verify", "The file did not verify: %s.", report.Verdict)
	}
	return nil
}

// DemoStep describes one step of the demo.
type DemoStep struct {
	Name string `json:"name"`
	Text string `json:"text"` // English sentence
}

// DemoResult is the result of Demo.
type DemoResult struct {
	Steps    []DemoStep           `json:"steps"`
	Import   library.ImportReport `json:"import"`
	Export   exports.ExportResult `json:"export"`
	Verified bool                 `json:"verified"`
}
