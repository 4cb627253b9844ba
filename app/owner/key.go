package owner

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/plainfile"
)

var errKey = errors.New("no key of an agent")

// parseKey reads a public key.
func parseKey(text string) (ed25519.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errKey
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if public, ok := key.(ed25519.PublicKey); ok {
		return public, err
	}
	return nil, errKey
}

func formatKey(key ed25519.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), err
}

// keyFor reads the key by which an agent is told from another program, and makes it at first. Only this
// person can read its file; whoever can read it may ask as that agent.
func keyFor(folder, name string) (ed25519.PrivateKey, error) {
	path := filepath.Join(folder, name+".key")
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(path)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errKey) { // another process may make it just now
		time.Sleep(100 * time.Millisecond)
		key, err = readKey(path)
	}
	if err != nil {
		return nil, fault.New(fault.Refused, "agent-key-file", "The key of this assistant in {file} cannot be read or written.").With("file", filepath.Base(path)).
			Advise("Remove the file, and the agent in Keepsake; the assistant then asks for permission anew.").Because(err)
	}
	return key, nil
}

func makeKey(path string) (ed25519.PrivateKey, error) {
	_, made, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(made)
	if err != nil {
		return nil, err
	}
	return made, makeFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := readFile(path, keepFromOthers)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errKey
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if private, ok := key.(ed25519.PrivateKey); ok {
		return private, err
	}
	return nil, errKey
}

// makeFile makes a file that this person alone can read. One that is there stays as it is.
func makeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// readFile reads such a file, after it was looked at whether others can read it.
func readFile(path string, others func(*os.File) error) ([]byte, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := others(file); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, 4<<10))
}

// keepFromOthers takes the right to read a file from other accounts.
func keepFromOthers(file *os.File) error {
	if open, err := isOpenToOthers(file); err != nil || !open {
		return err
	}
	return file.Chmod(0o600)
}

// isOpenToOthers reports whether other accounts can read a file. On Windows its folder decides.
func isOpenToOthers(file *os.File) (bool, error) {
	info, err := file.Stat()
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0, err
}
