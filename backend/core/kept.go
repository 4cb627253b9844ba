package core

import "reflect"

// kept is what a feature keeps of an unlocked vault: one value of a type of its own,
// empty at first, that goes with the session.
func kept[T any](v *session) *T {
	key := reflect.TypeFor[T]()
	value, ok := v.features.Load(key)
	if !ok {
		value, _ = v.features.LoadOrStore(key, new(T))
	}
	return value.(*T)
}

// keep sets what kept gives, before anybody asks for it.
func keep[T any](v *session, value *T) { v.features.Store(reflect.TypeFor[T](), value) }
