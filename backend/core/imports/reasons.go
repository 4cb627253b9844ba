package imports

// Why something of an import was left out, as its ledger says it. Readers have
// reasons of their own beside these.
const (
	becauseForgotten       = "forgotten"           // here, and it stays so
	becauseDeleted         = "deleted-here"        // by hand
	becauseMended          = "kept-as-mended"      // it was changed here, and stays so
	becauseNotSignedFor    = "kept-not-signed-for" // no signature allows the document to change this
	becauseAccess          = "kept-access"         // the only difference was wider access, which was not taken
	becauseRetracted       = "stays-retracted"     // it was retracted here
	becauseNotWanted       = "not-wanted"          // only memories, or only conversations, are taken
	becauseNotPicked       = "not-picked"          // of a document
	becauseUnreadable      = "unreadable"
	becauseTooLarge        = "too-large"
	becauseUnfit           = "unfit"       // the vault refuses it
	becauseInterrupted     = "interrupted" // the reading broke off before it could be decided
	becauseDamaged         = "damaged"     // the file of the new version is damaged; the stored version stays
	becauseCopied          = "copied"      // messages that the conversation holds which they were copied from
	becauseNoMemory        = "relation-without-memory"
	becauseToItself        = "relation-to-itself"
	becauseNothingEmbedded = "embedding-without-memory"
	becauseUnclear         = "retraction-fits-none-or-many"
)
