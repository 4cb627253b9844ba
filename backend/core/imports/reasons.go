package imports

// Reasons for skipping an item, as the ledger (the counts of an import) lists them.
// Readers add reasons of their own.
const (
	becauseForgotten       = "forgotten"           // the person had this vault forget it
	becauseDeleted         = "deleted-here"        // the person deleted it in this vault
	becauseMended          = "kept-as-mended"      // it was edited in this vault, and the edits stay
	becauseNotSignedFor    = "kept-not-signed-for" // no signature allows the document to change this
	becauseAccess          = "kept-access"         // the only difference was wider access, which was not taken
	becauseRetracted       = "stays-retracted"     // it was retracted in this vault
	becauseNotWanted       = "not-wanted"          // the person chose only memories, or only conversations
	becauseNotPicked       = "not-picked"          // the person did not pick this memory of a document
	becauseUnreadable      = "unreadable"
	becauseTooLarge        = "too-large"
	becauseUnfit           = "unfit"       // it is invalid or too large for the vault
	becauseInterrupted     = "interrupted" // reading broke off before the item was decided
	becauseDamaged         = "damaged"     // the file of the new version is damaged; the stored version stays
	becauseCopied          = "copied"      // messages of a fork; the original conversation holds them
	becauseNoMemory        = "relation-without-memory"
	becauseToItself        = "relation-to-itself"
	becauseNothingEmbedded = "embedding-without-memory"
	becauseUnclear         = "retraction-fits-none-or-many"
)
