//go:build goexperiment.runtimesecret && (amd64 || arm64)

package seal

import "runtime/secret"

// guarded runs f so that what it leaves on its stack and in registers is erased
// when it returns, and what it allocates as soon as nothing refers to it.
func guarded(f func()) { secret.Do(f) }
