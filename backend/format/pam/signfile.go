package pam

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// maxSigned bounds the document that SignDocument takes into memory, in bytes.
const maxSigned = 1 << 30

// SignDocument signs an existing memory store that agrees with its own sums:
// it replaces the signature and leaves every other member as it is. export_id
// and export_date must be there, since the signature is over them (§18.3).
func SignDocument(ctx context.Context, tree *intake.Tree, rules *schema.Set, key *Key, now memory.Time, w io.Writer) error {
	report, err := Verify(ctx, tree, rules, Trust{})
	if err != nil {
		return err
	}
	store, err := findStore(tree)
	if err != nil {
		return err
	}
	text, err := tree.ReadAll(ctx, store, maxSigned)
	if err != nil {
		return err
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(text, &root); err != nil || !onlySignatureIsWrong(report) {
		return fault.New(fault.Invalid, "sign-broken", "{name} does not agree with its own checksums, so it is not signed.").
			With("name", tree.Name()).Because(err)
	}
	signature, err := signatureOver(root, key, now)
	if err != nil {
		return err
	}
	if root["signature"], err = json.Marshal(signature); err != nil {
		return fmt.Errorf("encode signature: %w", err)
	}
	out, err := jcs.Marshal(root)
	if err != nil {
		return fmt.Errorf("encode document: %w", err)
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// onlySignatureIsWrong lets a document be signed anew.
func onlySignatureIsWrong(r Report) bool {
	for _, p := range r.Problems {
		switch p.Check {
		case "signature", "signature-owner", "signature-time":
		default:
			return false
		}
	}
	return true
}

func signatureOver(root map[string]json.RawMessage, key *Key, now memory.Time) (Signature, error) {
	var block struct {
		Checksum string `json:"checksum"`
	}
	var owner Owner
	var exportID, exportDate string
	for name, into := range map[string]any{"integrity": &block, "owner": &owner, "export_id": &exportID, "export_date": &exportDate} {
		if json.Unmarshal(root[name], into) != nil {
			return Signature{}, fault.New(fault.Invalid, "sign-incomplete",
				"The file lacks {member}, which a signature is over.").With("member", name)
		}
	}
	text, err := payload(block.Checksum, exportID, exportDate, owner.ID)
	if err != nil {
		return Signature{}, fmt.Errorf("build signature payload: %w", err)
	}
	if exported, err := memory.ParseTime(exportDate); err == nil && now.Compare(exported) < 0 {
		now = exported // §18.5: never before export_date
	}
	public := key.Public()
	return Signature{"Ed25519", public.Multibase(), base64url(key.sign(text)), now.String(), public.KeyID()}, nil
}
