//go:build !windows

package cli_test

import (
	"os"
	"syscall"
)

// becomeNobody gives up the rights of root where a script asks for it: root may
// read everything, so that nothing could be refused.
func becomeNobody() {
	const nobody = 65534
	if os.Getenv("KEEPSAKE_TEST_AS_NOBODY") == "" || os.Geteuid() != 0 {
		return
	}
	if err := syscall.Setuid(nobody); err != nil {
		panic(err)
	}
}
