//go:build !(goexperiment.runtimesecret && linux && (amd64 || arm64))

package seal

// guarded runs f. Erasing what it leaves behind needs runtime/secret, which
// only some builds have (scripts/build.sh).
func guarded(f func()) { f() }
