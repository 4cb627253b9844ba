package seal

import "runtime"

// keyPage is how many bytes of keys are locked at a time: 128 keys.
const keyPage = 4096

// keyRoom is memory that holds nothing but keys. Where the system has it, it is
// never swapped out and in no core file. It lives as long as its owner.
type keyRoom struct {
	free []byte // of the newest page
	used []*[keySize]byte
}

// key takes an empty key out of the room. The caller keeps others away.
func (r *keyRoom) key(owner *Keys) *[keySize]byte {
	if len(r.free) == 0 {
		page, giveBack := lockedPage(keyPage)
		r.free = page
		runtime.AddCleanup(owner, func(giveBack func()) { giveBack() }, giveBack)
	}
	key := (*[keySize]byte)(r.free)
	r.free = r.free[keySize:]
	r.used = append(r.used, key)
	return key
}

// wipe overwrites every key. The memory is given back with its owner, so that
// who comes too late reads zeros.
func (r *keyRoom) wipe() {
	for _, key := range r.used {
		clear(key[:])
	}
}
