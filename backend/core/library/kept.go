package library

import "reflect"

// Kept is what a feature keeps of an unlocked vault: one value of a type of its own,
// empty at first, that goes with the session.
func Kept[T any](v *Session) *T {
	key := reflect.TypeFor[T]()
	value, ok := v.features.Load(key)
	if !ok {
		value, _ = v.features.LoadOrStore(key, new(T))
	}
	return value.(*T)
}

// Keep sets what Kept gives, before anybody asks for it.
func Keep[T any](v *Session, value *T) { v.features.Store(reflect.TypeFor[T](), value) }
