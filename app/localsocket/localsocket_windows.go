package localsocket

import (
	"errors"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"

	"keepsake/backend/product"
)

// Listener listens for other processes of the same person, on a named pipe that only this person
// may open.
type Listener struct{ pipe net.Listener }

// Listen listens for one purpose on a vault. It returns ErrTaken if another process does.
func Listen(purpose, vaultDir string) (*Listener, error) {
	person, err := personOf(windows.GetCurrentProcessToken())
	if err != nil {
		return nil, fmt.Errorf("ask whose process this is: %w", err)
	}
	pipe, err := winio.ListenPipe(pipeOf(purpose, vaultDir, person), &winio.PipeConfig{SecurityDescriptor: "D:P(A;;GA;;;" + person + ")"})
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_PIPE_BUSY) {
		return nil, ErrTaken
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return &Listener{pipe}, nil
}

// Accept waits for the next process, until Close.
func (l *Listener) Accept() (net.Conn, error) { return acceptAgain(l.pipe) }

// Close ends listening.
func (l *Listener) Close() { l.pipe.Close() }

// errStranger says that a pipe of this name is somebody else's.
var errStranger = errors.New("the pipe is of another account")

// Dial reaches the process that listens for a purpose on a vault.
func Dial(purpose, vaultDir string) (net.Conn, error) {
	person, err := personOf(windows.GetCurrentProcessToken())
	if err != nil {
		return nil, fmt.Errorf("ask whose process this is: %w", err)
	}
	conn, err := winio.DialPipe(pipeOf(purpose, vaultDir, person), nil)
	if err != nil {
		return nil, err
	}
	if other, err := serverOf(conn); err != nil || other != person {
		conn.Close()
		return nil, errors.Join(errStranger, err)
	}
	return conn, nil
}

func pipeOf(purpose, vaultDir, person string) string {
	return `\\.\pipe\` + product.Program + "-" + person + "-" + nameOf(purpose, vaultDir)
}

// serverOf returns whose process listens at the other end of a pipe: its name alone could be taken
// by anybody.
func serverOf(conn net.Conn) (string, error) {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return "", errors.New("no pipe")
	}
	var id uint32
	if err := windows.GetNamedPipeServerProcessId(windows.Handle(pipe.Fd()), &id); err != nil {
		return "", err
	}
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, id)
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return "", err
	}
	defer token.Close()
	return personOf(token)
}

// personOf returns the SID of the account of a token.
func personOf(token windows.Token) (string, error) {
	user, err := token.GetTokenUser()
	if err != nil {
		return "", err
	}
	return user.User.Sid.String(), nil
}
