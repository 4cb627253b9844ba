package library

// Page is the part of a list from offset on, at most limit; 0 = all.
func Page[T any](all []T, offset, limit int) []T {
	all = all[min(max(offset, 0), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}
