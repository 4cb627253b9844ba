package pam

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"keepsake/backend/fault"
	"keepsake/backend/schema"
)

// rule is one thing that no schema can hold: the stable name of its check, what
// is said of a place that breaks it, and what should stand there. Every sentence
// of a finding stands here or in the schema room, in English; the page has them
// in the person's language (frontend/src/lib/i18n/findings.pt-BR.json).
type rule struct{ check, message, expected string }

// expects is the rule with what this document, and no other, should say.
func (r rule) expects(text string) rule {
	r.expected = text
	return r
}

// found is the finding where a rule does not hold. What stands there is shown
// short: an id, a time, a number or a sum, never content.
func (r rule) found(path, text string) Finding {
	return Finding{Check: r.check, Path: path, Message: r.message, Expected: shown(r.expected), Found: shown(text)}
}

// twin is the rule of what must stand once, with the number of the element of the
// array where it stands already.
func (r rule) twin(i int) rule {
	return r.expects(strings.Replace(r.expected, "{n}", strconv.Itoa(i), 1))
}

// at is the finding where a rule does not hold, and nothing is to be said of what
// stands there.
func (r rule) at(path string) Finding {
	return Finding{Check: r.check, Path: path, Message: r.message}
}

// maxShown bounds what a finding repeats of a document, in bytes.
const maxShown = 100

func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	if len(text) <= maxShown {
		return text
	}
	text = text[:maxShown]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return strings.TrimSpace(text) + "…"
}

// The rules, in the order in which docs/pam.md lists their checks.
var (
	ruleJSON         = rule{"json", "not one whole, strict JSON document: cut off, a name that stands twice, text that is not UTF-8, or nested too deep", "one strict JSON document"}
	ruleDocument     = rule{"document", "this is not a Portable AI Memory file or bundle", "a file, or a bundle with one memory-store.json"}
	ruleSchemaName   = rule{"schema", "is not the name of a PAM schema", "portable-ai-memory, portable-ai-memory-conversation or portable-ai-memory-embeddings"}
	ruleMore         = rule{"more", "has more errors than these", "none"}
	ruleMajorVersion = rule{"schema-version", "is a major version that is not known", "1"}
	ruleMinorVersion = rule{"schema-version", "is newer than 1.0; what it added was not checked", "1.0"}
	ruleSameVersion  = rule{"schema-version", "differs from the memory store's", ""}

	ruleMemoryID     = rule{"memory-id", "stands twice", "an id of its own, not that of /memories/{n}"}
	ruleCustomType   = rule{"custom-type", "does not go with the type of the memory", "a custom type where the type is custom, and only there"}
	ruleDateTime     = rule{"date-time", "is not an RFC 3339 date and time", "an RFC 3339 date and time"}
	ruleURI          = rule{"uri", "is not a URI", "an absolute URI"}
	ruleDID          = rule{"did", "is not a DID", "a DID, without the path, query and fragment of a DID URL"}
	ruleAfterCreated = rule{"time-order", "is before created_at", ""}
	ruleAfterStart   = rule{"time-order", "is before valid_from", ""}
	ruleSuperseded   = rule{"superseded-by", "is not a memory of this export", "the id of a memory of this export"}
	ruleSupersession = rule{"superseded-by", "does not go with superseded_by", "superseded where superseded_by is set, or archived after that"}

	ruleRelationID     = rule{"relation-id", "stands twice", "an id of its own, not that of /relations/{n}"}
	ruleRelationTarget = rule{"relation-target", "is not a memory of this export", "the id of a memory of this export"}
	ruleRelationSelf   = rule{"relation-self", "relates a memory to itself", "two memories"}

	ruleConversationTwice = rule{"conversation-id", "stands twice", "an id of its own, not that of /conversations_index/{n}"}
	ruleConversationID    = rule{"conversation-id", "is not the id of its index entry", ""}
	ruleConversationRef   = rule{"conversation-ref", "is not in conversations_index", "the id of an entry of conversations_index"}
	ruleDerived           = rule{"derived-memories", "is not a memory that comes from the conversation", "the id of a memory whose conversation_ref is this conversation"}
	ruleNotDerived        = rule{"derived-memories", "is not repeated in derived_memories of its conversation", "this memory among the derived_memories of the entry"}
	rulePlatform          = rule{"platform", "is not the platform of its index entry", ""}
	ruleMessageCount      = rule{"message-count", "are not as many as the index entry says", ""}
	ruleRefLeaves         = rule{"storage-ref", "leaves the bundle", "a path inside the bundle"}
	ruleRefAlone          = rule{"storage-ref", "names a file, but this is a single document", "a bundle with the file in it"}
	ruleRefMissing        = rule{"storage-ref", "names a file that is not in the bundle", "a file of the bundle"}
	ruleStray             = rule{"conversation-file", "is named by no entry of conversations_index", "an entry of conversations_index that names it"}

	ruleMessageID    = rule{"message-id", "stands twice", "an id of its own, not that of /messages/{n}"}
	ruleParent       = rule{"message-parent", "is not a message of this conversation", "the id of a message of this conversation"}
	ruleChild        = rule{"message-children", "is not a message that names this one as its parent", "the id of a message whose parent_id is this one"}
	ruleNotListed    = rule{"message-children", "is not repeated in children_ids of its parent", "this message among the children_ids of its parent"}
	ruleCycle        = rule{"message-cycle", "go round in a circle", "parents that lead to a first message"}
	ruleMessageOrder = rule{"message-order", "is before the message above it", ""}
	ruleAttachment   = rule{"attachment-ref", "names a file that is not in the bundle", "a file of the bundle"}

	ruleAttachmentLeaves = rule{"attachment-ref", "leaves the bundle", "a path inside the bundle"}

	ruleEmbeddingID         = rule{"embedding-id", "stands twice", "an id of its own, not that of /embeddings/{n}"}
	ruleEmbeddingTwice      = rule{"embedding-memory", "stands twice", "one embedding to a memory, and /embeddings/{n} is of it"}
	ruleEmbeddingMemory     = rule{"embedding-memory", "is not a memory of this export", "the id of a memory of this export"}
	ruleEmbeddingFile       = rule{"embedding-ref", "is set, but there is no embeddings file", "null"}
	ruleEmbeddingUnnamed    = rule{"embedding-ref", "is not repeated in embedding_ref of its memory", ""}
	ruleEmbeddingRef        = rule{"embedding-ref", "does not name the embedding of this memory", "the id of the embedding of this memory"}
	ruleEmbeddingDimensions = rule{"embedding-dimensions", "is not the length of the vector", ""}

	ruleIncremental   = rule{"incremental", "is missing from an incremental export", "base_export_id and since"}
	ruleSignatureForm = rule{"signature-form", "is not base64url", "base64url (RFC 4648 §5)"}

	ruleNumber      = rule{"number", "holds a number that programs round differently", "whole numbers within ±9007199254740991"}
	ruleCanonical   = rule{"json", "has no canonical form", "JSON with one canonical form"}
	ruleHash        = rule{"content-hash", "is not the hash of the content", ""}
	ruleHashNewer   = rule{"content-hash", "the content holds characters newer than this version knows", ""}
	ruleTotal       = rule{"integrity-total", "is not the number of memories", ""}
	ruleChecksum    = rule{"integrity-checksum", "is not the checksum of the memories", ""}
	ruleSummedOther = rule{"integrity-checksum", "is the checksum of the memories as the reference library writes them, not as they stand here", ""}
)

// Rules of verification alone: who signed what, and whether it is as it was.
var (
	ruleNotTrusted      = rule{"trust", "not signed by a key that was asked for", ""}
	ruleClaimedUnsigned = rule{"claimed-owner", "is the owner of files that a key signed before, and this one is not signed by it", ""}
	ruleClaimed         = rule{"claimed-owner", "is the owner of files that another key signed before", ""}
	ruleSums            = rule{"integrity", "is missing, so only the content of the memories was compared", ""}
	ruleSignedSums      = rule{"integrity", "is missing, and the signature is over it", ""}
	ruleSumsRead        = rule{"integrity", "cannot be read", ""}
	ruleSumsUnsorted    = rule{"integrity-checksum", "are not in the order of their ids, and too many to be put into it", ""}

	ruleSignedValues   = rule{"signature", "is over values that cannot be read", ""}
	ruleSignatureText  = rule{"signature", "is not base64url", ""}
	ruleAlgorithm      = rule{"signature", "is made with an algorithm that the specification does not know", ""}
	ruleKeyForm        = rule{"signature", "names a public key that is refused or not in a known form", ""}
	ruleKeyKind        = rule{"signature", "names a public key that does not fit its algorithm", ""}
	ruleSignature      = rule{"signature", "does not fit the memories, the export and the owner", ""}
	ruleKeySize        = rule{"key-size", "is shorter than the specification has it for this algorithm", ""}
	ruleOwnerKey       = rule{"signature-owner", "names another key than the one that signed", ""}
	ruleOwnerUnchecked = rule{"signature-owner", "is not resolved, so the key was not checked against it", ""}
	ruleKeyID          = rule{"key-id", "names another key than the one that signed", ""}
	ruleSignedBefore   = rule{"signature-time", "is not a time at or after export_date", ""}
	ruleSignedAhead    = rule{"signature-time", "is in the future", ""}
	ruleRevoked        = rule{"key-revoked", "is after the key was revoked", ""}
	ruleRetired        = rule{"key-retired", "is after another key had taken the place of this one", ""}

	ruleDigestRead     = rule{"digest", "is not a digest that can be read", ""}
	ruleDigestSigned   = rule{"digest", "is not what was signed", ""}
	ruleDigestAlone    = rule{"digest", "is signed, but the store beside it is not", ""}
	ruleDigestKey      = rule{"digest", "is signed by another key than the store", ""}
	ruleDigestAdded    = rule{"digest", "was added to the bundle after it was signed", ""}
	ruleDigestChanged  = rule{"digest", "is not the file that was signed", ""}
	ruleDigestMissing  = rule{"digest", "is missing, so nothing but the memories is known to be as it was signed", ""}
	ruleDigestTakenOut = rule{"digest", "was taken out of the bundle after it was signed", ""}
)

// violated is a broken rule of the schema below a place of the document.
func violated(path string, bad schema.Violation) Finding {
	check := "schema"
	if bad.Pointer == "/metadata/language" {
		check = "language"
	}
	return Finding{Check: check, Path: path + bad.Pointer, Message: bad.Message, Expected: shown(bad.Expected), Found: shown(bad.Found), added: bad.MayBeAdded}
}

// Finding is one thing a check found. Path is a JSON pointer, or a file of the
// bundle and a pointer; Message never quotes content.
type Finding struct {
	Check   string `json:"check"`
	Path    string `json:"path"`
	Message string `json:"message"`

	// What should stand at the place, and what does, where that can be said.
	Expected string `json:"expected,omitempty"`
	Found    string `json:"found,omitempty"`

	added bool // a newer minor version may have added it

	// Fault is set where nothing could be looked at; Message is its sentence.
	Fault *fault.Error `json:"-"`
}
