package lifecycle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/meaning"
	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

const (
	maxRecent   = 8       // vault folders that are remembered
	maxSettings = 1 << 20 // bytes read of settings.json
)

// Preferences reads settings.json. If the file is missing or damaged, it returns the
// defaults: a bad file must never keep a person from their vault.
func (s *Service) Preferences(context.Context) (Preferences, error) {
	s.settings.Lock()
	defer s.settings.Unlock()
	return s.readPreferences(), nil
}

// SavePreferences replaces settings.json. It ignores p.Recent: the Service itself
// maintains the list of recent vaults.
func (s *Service) SavePreferences(ctx context.Context, p Preferences) error {
	if !slices.Contains([]string{"", "en", "pt-BR"}, p.Language) {
		return fault.New(fault.Invalid, "unknown-language", "Keepsake has no language called {language}.").With("language", p.Language)
	}
	if !slices.Contains([]string{"", "system", "light", "dark"}, p.Theme) {
		return fault.New(fault.Invalid, "unknown-theme", "There is no theme called {theme}.").With("theme", p.Theme)
	}
	if !slices.Contains(autoLockChoices(), p.AutoLockMinutes) {
		return fault.New(fault.Invalid, "unknown-auto-lock", "A vault cannot be locked after {minutes} minutes; there are 1, 5, 10, 30, 60 and 0 for never.").With("minutes", p.AutoLockMinutes)
	}
	if p.EmbeddingServer != (meaning.Server{}) {
		if err := p.EmbeddingServer.Check(); err != nil {
			return err
		}
	}
	before, err := s.replacePreferences(p)
	if err == nil && before.EmbeddingServer != p.EmbeddingServer {
		s.useEmbeddingServer(ctx, p.EmbeddingServer)
	}
	return err
}

func (s *Service) replacePreferences(p Preferences) (before Preferences, err error) {
	s.settings.Lock()
	defer s.settings.Unlock()
	before = s.readPreferences()
	p.Recent = before.Recent
	s.presence.set(p)
	return before, s.writePreferences(p)
}

// remember puts dir first among the recent vaults. It ignores a write error, so that an
// unlock does not fail because of this list.
func (s *Service) remember(dir string) {
	if s.cfg.SettingsFile == "" || s.cfg.LeaveRecent {
		return
	}
	s.settings.Lock()
	defer s.settings.Unlock()
	p := s.readPreferences()
	if len(p.Recent) > 0 && p.Recent[0] == dir {
		return
	}
	p.Recent = append([]string{dir}, slices.DeleteFunc(p.Recent, func(d string) bool { return d == dir })...)
	_ = s.writePreferences(p)
}

func defaultPreferences() Preferences {
	return Preferences{Theme: "system", Recent: []string{}, AutoLockMinutes: defaultAutoLock}
}

func (s *Service) readPreferences() Preferences {
	p := defaultPreferences()
	file, err := plainfile.Open(s.cfg.SettingsFile)
	if err != nil {
		return p
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSettings))
	if err != nil || json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &p) != nil {
		return defaultPreferences()
	}
	p.AutoLockMinutes = validAutoLock(p.AutoLockMinutes)
	if p.Recent = p.Recent[:min(len(p.Recent), maxRecent)]; p.Recent == nil {
		p.Recent = []string{}
	}
	if p.Theme == "" {
		p.Theme = "system"
	}
	return p
}

func (s *Service) writePreferences(p Preferences) error {
	if s.cfg.SettingsFile == "" {
		return nil
	}
	p.Recent = p.Recent[:min(len(p.Recent), maxRecent)]
	err := os.MkdirAll(filepath.Dir(s.cfg.SettingsFile), 0o700)
	if err == nil {
		err = writeJSON(s.cfg.SettingsFile, p)
	}
	if err == nil {
		return nil
	}
	return fault.New(fault.Refused, "settings-not-written", "The settings could not be written to {file}.").
		With("file", "settings.json").
		Advise("Check that the folder for settings can be written and that the disk is not full.").
		Because(fmt.Errorf("write settings: %w", err))
}

// writeJSON writes value to a file as indented JSON.
func writeJSON(path string, value any) error {
	return atomicfile.WriteNew(path, 0o600, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	})
}
