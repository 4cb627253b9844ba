package owner

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keepsake/backend/fault"
)

// shortestToken is how many characters a token has at least: 128 bits in base 32.
const shortestToken = 26

var errToken = errors.New("no token of an agent, or one that others can read")

// Token reads the token by which a program that asks over HTTP shows that it is the agent, and the
// path of its file, which lies beside the key. It is made at first. Whoever can read it may ask as that
// agent, so that a file which others could read is of no use any more.
func (c *Client) Token() (token, path string, err error) {
	path = filepath.Join(c.keys, c.name+".token")
	token, err = readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		token = rand.Text()
		err = makeFile(path, []byte(token+"\n"))
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errToken) { // another process may make it just now
		time.Sleep(100 * time.Millisecond)
		token, err = readToken(path)
	}
	if err != nil {
		return "", path, fault.New(fault.Refused, "agent-token-file", "The token of this assistant in {file} cannot be read or written, or others can read it.").With("file", path).
			Advise("Remove the file and start this again; the assistant then needs the new token.").Because(err)
	}
	return token, path, nil
}

func readToken(path string) (string, error) {
	text, err := readFile(path, refuseOthers)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < shortestToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errToken
	}
	return token, nil
}

// refuseOthers refuses a file that other accounts can read: they may have done so.
func refuseOthers(file *os.File) error {
	open, err := isOpenToOthers(file)
	if open {
		return errToken
	}
	return err
}
