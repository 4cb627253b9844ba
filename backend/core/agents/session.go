package agents

import (
	"context"
	"errors"
	"io"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// SessionTool is what a call is called that takes a session.
const SessionTool = "session"

// AgentSession takes a session that an assistant kept on this computer into the vault, as an import of
// its file does: what the vault has already stays, and memories are proposed from the person's words
// where the person allowed that. Only the named reader reads it, so that a file can be nothing else.
// The agent needs the permission to propose. done is false where the session can be taken later: the
// person has not answered yet or paused the agent, the vault is locked or frozen, or another import runs.
func (s *Service) AgentSession(ctx context.Context, name, reader, file string, content io.Reader) (done bool, err error) {
	var a Agent
	var later bool
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		a, err = need(tx, name)
		a = pausedNow(v, a)
		later = fault.CodeOf(err) == fault.NotFound || a.State == Pending || a.Paused || v.Vault.Frozen()
		return err
	})
	if fault.CodeOf(err) == fault.Locked {
		return false, err
	}
	if later || isLater(ctx, err) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if err = a.allows(Propose, s.lib.Now()); err == nil {
		err = s.takeSession(ctx, reader, a.Name, file, content)
	}
	if isLater(ctx, err) {
		return false, nil
	}
	c := Call{Agent: a.Name, Tool: SessionTool}
	if err != nil {
		c.Refused = fault.From(err).Reason
	}
	return true, errors.Join(err, s.note(ctx, c, ""))
}

// isLater reports whether what was not done now can be done later.
func isLater(ctx context.Context, err error) bool {
	code := fault.CodeOf(err)
	return err != nil && (ctx.Err() != nil || code == fault.Locked || code == fault.Busy || code == fault.Cancelled)
}

// takeSession imports a session; by is who the log names.
func (s *Service) takeSession(ctx context.Context, reader, by, file string, content io.Reader) error {
	id, _, err := s.uploads.AddUpload(ctx, file, content)
	if err != nil {
		return err
	}
	defer s.uploads.DropUpload(id)
	_, err = s.imports.Import(ctx, []files.Input{{Upload: id}}, library.ImportOptions{Provider: reader, OnlyConversations: true, By: by}, nil)
	return err
}
