package library

import "reflect"

// Kept returns the value of type T that a feature keeps in a session. There is one value
// per type; it is zero at first and is dropped with the session.
func Kept[T any](v *Session) *T {
	key := reflect.TypeFor[T]()
	value, ok := v.features.Load(key)
	if !ok {
		value, _ = v.features.LoadOrStore(key, new(T))
	}
	return value.(*T)
}

// Keep sets the value that Kept[T] returns for a session. Call it before the first Kept[T].
func Keep[T any](v *Session, value *T) { v.features.Store(reflect.TypeFor[T](), value) }
