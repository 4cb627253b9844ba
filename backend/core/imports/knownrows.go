package imports

import (
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// known indexes the conversations that a reader can skip, by the first 16 bytes of the
// SHA-256 of the JSON element they were read from: enough to exclude collisions.
type known struct {
	account string // the account that the person named; "" is the default account
	rows    map[[16]byte]knownRow
	Sizes   map[uint32]int // JSON elements: CRC-32 of the beginning → size in bytes
}

type knownRow struct {
	mark uint64 // the row's Mark, which changes with every write of the conversation
	seq  uint32 // sequence number of the conversation in the vault
}

func startOf(sum [32]byte) [16]byte { return [16]byte(sum[:16]) }

func (k known) has(sum [32]byte) bool {
	_, ok := k.rows[startOf(sum)]
	return ok
}

// KnownElements indexes the stored conversations that this version of the reader read
// completely. account is an account that the person named; "" means all accounts that no
// person named.
func KnownElements(v *library.Session, reader importer.Info, account string) (known, error) {
	k := known{account, map[[16]byte]knownRow{}, map[uint32]int{}}
	err := v.View(func(tx *vault.Tx) error {
		named, err := namedAccounts(tx)
		if err != nil {
			return err
		}
		isOurs := func(row *rows.Conversation) bool {
			if account != "" {
				return row.AccountID == account
			}
			return len(named) == 0 || !named[reader.ID+"\x00"+row.AccountID]
		}
		return rows.EachConversation(tx, func(row *rows.Conversation) {
			if (reader.Platform == "" || row.Platform == reader.Platform) && row.Importer == reader.Version && isOurs(row) && row.Sum != ([32]byte{}) && !v.Rows.IsUnfinished(row.ImportID) {
				k.rows[startOf(row.Sum)] = knownRow{row.Mark, uint32(row.Seq)}
				k.Sizes[row.Outline.Start] = row.Outline.Size
			}
		})
	})
	return k, err
}

// findKnown finds the stored conversation that was read from a JSON element with checksum
// sum, if it has not changed since k was built. Without a provider id (nativeID), the
// checksum alone decides, even if this import has replaced the conversation meanwhile.
func findKnown(r *rows.Rows, k known, platform, nativeID string, sum [32]byte) (id string, messages int, ok bool) {
	r.RLock()
	defer r.RUnlock()
	at, ok := k.rows[startOf(sum)]
	row := r.Conversations.BySeq.At(uint64(at.seq))
	if !ok || row == nil {
		return "", 0, false
	}
	id, messages = r.Words.Long(row.ID), int(row.Messages)
	if nativeID == "" {
		return id, messages, true
	}
	stands := row.Mark == at.mark && !r.Unfinished[r.Words.Text(row.ImportID)]
	return id, messages, stands && id == inAccount(k.account, importer.ConversationID(platform, nativeID))
}
