package core

import (
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// known are the conversations that a reader need not look at again, by the first
// half of the sum of the element they were read from: nobody makes another
// element whose sum begins with the same 16 bytes.
type known struct {
	account string // that a person named; "" is the default one
	rows    map[[16]byte]knownRow
	sizes   map[uint32]int // of elements in bytes, by how they begin
}

type knownRow struct {
	mark uint64 // to tell whether it is still the same
	seq  uint32
}

func startOf(sum [32]byte) [16]byte { return [16]byte(sum[:16]) }

func (k known) has(sum [32]byte) bool {
	_, ok := k.rows[startOf(sum)]
	return ok
}

// known lists what a version of a reader has read whole, of one account that a
// person named, or of all others.
func (v *session) known(reader importer.Info, account string) (known, error) {
	k := known{account, map[[16]byte]knownRow{}, map[uint32]int{}}
	err := v.vault.View(func(tx *vault.Tx) error {
		named, err := namedAccounts(tx)
		if err != nil {
			return err
		}
		isOurs := func(row *conversationRow) bool {
			if account != "" {
				return row.AccountID == account
			}
			return len(named) == 0 || !named[reader.ID+"\x00"+row.AccountID]
		}
		return eachConversationRow(tx, func(row *conversationRow) {
			if (reader.Platform == "" || row.Platform == reader.Platform) && row.importer == reader.Version && isOurs(row) && row.sum != ([32]byte{}) && !v.rows.isUnfinished(row.ImportID) {
				k.rows[startOf(row.sum)] = knownRow{row.mark, uint32(row.seq)}
				k.sizes[row.outline.Start] = row.outline.Size
			}
		})
	})
	return k, err
}

// findKnown finds the conversation of an element that is known, where it still is
// as it was read. Without a provider's id it counts as that, whatever this
// import has replaced since.
func findKnown(r *rows, k known, platform, nativeID string, sum [32]byte) (id string, messages int, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	at, ok := k.rows[startOf(sum)]
	row := r.conversations.bySeq.at(uint64(at.seq))
	if !ok || row == nil {
		return "", 0, false
	}
	id, messages = r.words.long(row.id), int(row.messages)
	if nativeID == "" {
		return id, messages, true
	}
	stands := row.mark == at.mark && !r.unfinished[r.words.text(row.importID)]
	return id, messages, stands && id == inAccount(k.account, importer.ConversationID(platform, nativeID))
}
