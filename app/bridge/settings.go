package bridge

import (
	"context"
	"slices"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Settings is what a person chose for this computer, and what Keepsake is.
type Settings struct{ k *kit }

// Get returns the preferences; it works without a vault.
func (s *Settings) Get() (PreferencesView, error) {
	return call(s.k, func(ctx context.Context) (PreferencesView, error) {
		p, err := s.k.core.Preferences(ctx)
		return PreferencesView{Language: p.Language, Theme: p.Theme, SystemTheme: s.k.host.SystemTheme(), AutoLock: p.AutoLockMinutes, AlwaysProtect: p.AlwaysProtect}, err
	})
}

// Save stores the preferences. What a page does not show stays as it is.
func (s *Settings) Save(view PreferencesView) error {
	return do(s.k, func(ctx context.Context) error {
		if !slices.Contains([]string{"", "en", "pt-BR"}, view.Language) || !slices.Contains([]string{"system", "light", "dark"}, view.Theme) {
			return fault.New(fault.Invalid, "unknown-preference", "That language or theme does not exist.")
		}
		p, err := s.k.core.Preferences(ctx)
		if err != nil {
			return err
		}
		p.Language, p.Theme, p.AutoLockMinutes, p.AlwaysProtect = view.Language, view.Theme, view.AutoLock, view.AlwaysProtect
		return s.k.core.SavePreferences(ctx, p)
	})
}

// Notify tells somebody who looks elsewhere how something ended that took long:
// "import", "export", or one of them "-stopped"; or that an assistant "asked" while the vault is locked. What is said is fixed, so that nothing of
// the vault can be in it; language is the page's.
func (s *Settings) Notify(ended, language string) error {
	return do(s.k, func(context.Context) error {
		text := notices(language)[ended]
		if text == "" {
			return fault.New(fault.Invalid, "unknown-notice", "There is no such notice.")
		}
		s.k.host.Notify(text)
		return nil
	})
}

// notices are what Notify says, in English where the language is another.
func notices(language string) map[string]string {
	if language == "pt-BR" {
		return map[string]string{
			"import":         "A importação terminou.",
			"import-stopped": "A importação parou antes do fim. O Keepsake diz por quê.",
			"export":         "A exportação foi gravada.",
			"export-stopped": "A exportação não foi gravada. O Keepsake diz por quê.",
			"asked":          "Um assistente pede memórias, e o Keepsake está bloqueado.",
		}
	}
	return map[string]string{
		"import":         "The import has ended.",
		"import-stopped": "The import stopped before its end. Keepsake says why.",
		"export":         "The export is written.",
		"export-stopped": "The export was not written. Keepsake says why.",
		"asked":          "An assistant asks for memories, and Keepsake is locked.",
	}
}

// About says what this program is and what it is made of.
func (s *Settings) About() (AboutView, error) {
	return call(s.k, func(ctx context.Context) (AboutView, error) {
		licences, err := readLicences()
		b := core.ReadBuild()
		p, _ := s.k.core.Preferences(ctx) // without them no server is asked
		network := []string{}
		if address := p.EmbeddingServer.Address; address != "" {
			network = append(network, address)
		}
		return AboutView{Version: b.Version, Commit: b.Commit, Date: b.Date, Changed: b.Changed, Licences: licences, Network: network}, err
	})
}
