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
	if errors.Is(err, fs.ErrExist) { // another process makes it just now
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	_, made, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(made)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return made, errors.Join(pem.Encode(file, &pem.Block{Type: "PRIVATE KEY", Bytes: der}), file.Close())
}

func readKey(path string) (ed25519.PrivateKey, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := keepFromOthers(file); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, 4<<10))
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

// keepFromOthers takes the right to read a file from other accounts. On Windows its folder decides.
func keepFromOthers(file *os.File) error {
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return file.Chmod(0o600)
}
