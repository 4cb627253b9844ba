package importertest

import (
	"slices"
	"testing"

	"keepsake/backend/core"
)

// CheckAgain holds what is said of an export that is not whole: how much importing the
// whole one after it imports twice. The fault must be told of the broken one, and a vault
// that took both must hold what one holds that took the whole one alone, and at most so
// many conversations twice.
func CheckAgain(t *testing.T, reason string, broken, whole Fixture, twice int) {
	t.Helper()
	alone := store(t, whole)
	alone.imports("the whole one alone", core.ImportOptions{})
	s := store(t, broken)
	said := figuresOf(s.Import(t.Context(), s.inputs, core.ImportOptions{}, nil))
	if told := func(p core.ReportProblem) bool { return p.Reason == reason }; said.Fault != reason && !slices.ContainsFunc(said.Problems, told) {
		t.Errorf("the broken one: %s, %+v", said.Fault, said.Problems)
	}
	s.inputs = s.placed(t.TempDir(), whole)
	s.imports("the whole one after it", core.ImportOptions{})
	got, want := s.held(), alone.held()
	if more := got.Conversations - want.Conversations; twice > 0 && more > 0 && more <= twice {
		got.Conversations, got.Messages = want.Conversations, want.Messages
	}
	if got != want {
		t.Errorf("%+v, and of the whole one alone %+v", s.held(), want)
	}
}
