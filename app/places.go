package app

import (
	"os"
	"path/filepath"
	"runtime"

	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// place is where this person's files lie.
type place struct {
	vault    string // folder of the vault
	settings string // file; holds no content
	scratch  string // folder for sealed temporary files
}

// places finds the platform's folders; an absolute or relative vaultDir wins
// over the platform's own vault.
func places(vaultDir string) (place, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return place{}, noHome(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return place{}, noHome(err)
	}
	if vaultDir == "" {
		if vaultDir, err = dataDir(); err != nil {
			return place{}, noHome(err)
		}
	}
	if vaultDir, err = filepath.Abs(vaultDir); err != nil {
		return place{}, noHome(err)
	}
	return place{
		vault:    vaultDir,
		settings: filepath.Join(config, product.Program, "settings.json"),
		scratch:  filepath.Join(cache, product.Program, "scratch"),
	}, nil
}

// agents is the folder of what agents have here: their keys, and the sessions that wait.
func (p place) agents() string { return filepath.Join(filepath.Dir(p.settings), "agents") }

// dataDir is the platform's folder for what programs keep.
func dataDir() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(dir, product.Program, "vault"), nil
	}
	if runtime.GOOS == "windows" {
		// Not the roaming folder: a vault must not be copied about while it is open.
		local, err := os.UserCacheDir()
		return filepath.Join(local, product.Name, "vault"), err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", product.Name, "vault"), nil
	}
	return filepath.Join(home, ".local", "share", product.Program, "vault"), nil
}

func noHome(cause error) error {
	return fault.New(fault.NotFound, "no-home-folder", "This account has no home folder to keep a vault in.").
		Advise("Set HOME, or APPDATA and LOCALAPPDATA on Windows.").Because(cause)
}
