// Package mem0 reads what mem0 gives out: the answer of get_all of the library,
// of the platform, and an export in a schema of the caller's own.
//
//   - the library: {"results":[{id, memory, hash, metadata, created_at, …}],
//     "relations":[…]}; older versions a bare array. It gives 20 at once unless
//     asked for more, so that a dump may be a beginning: the report says so.
//   - the platform: an array, or {count, next, previous, results}, with
//     categories, app_id, expiration_date, replaced_by, lifecycle_state.
//   - "memory export" gives an object whose members the caller named and a model
//     filled. It can be read only when somebody says what it is; every text in
//     it is a statement then.
//
// What was replaced or deleted there is left out and counted. mem0 writes its
// memories itself, out of chats: they are inferences.
package mem0
