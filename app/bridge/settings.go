package bridge

import (
	"context"

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
		if !oneOf(view.Language, "", "en", "pt-BR") || !oneOf(view.Theme, "system", "light", "dark") {
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

// About says what this program is and what it is made of.
func (s *Settings) About() (AboutView, error) {
	return call(s.k, func(context.Context) (AboutView, error) {
		licences, err := readLicences()
		return AboutView{Version: core.Version, Licences: licences, Network: []string{}}, err
	})
}

func oneOf(value string, allowed ...string) bool {
	for _, a := range allowed {
		if value == a {
			return true
		}
	}
	return false
}
