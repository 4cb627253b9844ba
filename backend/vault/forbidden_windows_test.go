package vault_test

// childIsForbidden has no counterpart: Windows has lists, not modes.
func childIsForbidden(string) error { return nil }
