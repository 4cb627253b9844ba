package desktop

import (
	"os/exec"
	"syscall"
)

func revealCommand(path string) *exec.Cmd {
	cmd := exec.Command("explorer.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: explorerLine(path)}
	return cmd
}
