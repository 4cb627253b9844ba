package bridge

import "keepsake/backend/core"

// KeySourceView is where a key is read from: its text, or a file behind a token.
type KeySourceView struct {
	Text  string `json:"text"`
	Token string `json:"token"`
}

// SignerView is a signing key. Name and Where are those of somebody else; times
// are "" where there is nothing to say.
type SignerView struct {
	DID         string   `json:"did"`
	Kind        string   `json:"kind"` // "Ed25519", "P-256", "P-384" or "RSA"
	PublicKey   string   `json:"publicKey"`
	Fingerprint string   `json:"fingerprint"`
	Words       []string `json:"words"`
	Name        string   `json:"name"`
	Where       string   `json:"where"` // a file, "rotation", or ""
	Since       string   `json:"since"` // made, or first seen
	InUse       bool     `json:"inUse"`
	RetiredAt   string   `json:"retiredAt"`
	RevokedAt   string   `json:"revokedAt"`
	Successor   string   `json:"successor"` // did:key
}

// SignersView is every signing key that the vault knows, the newest first.
type SignersView struct {
	Own   []SignerView `json:"own"`
	Known []SignerView `json:"known"`
}

// KeyReadingView is a key that is looked at. Name is the one it is known by.
type KeyReadingView struct {
	DID         string        `json:"did"`
	Fingerprint string        `json:"fingerprint"`
	Words       []string      `json:"words"`
	Where       string        `json:"where"`
	Own         bool          `json:"own"`
	Name        string        `json:"name"`
	News        []KeyNewsView `json:"news"`
}

// KeyNewsView is what a key that is known says about itself: that another takes
// its place (Words are those of the new one), or that it is revoked.
type KeyNewsView struct {
	Kind  string   `json:"kind"` // "rotation" or "revocation"
	Name  string   `json:"name"`
	Words []string `json:"words"`
	At    string   `json:"at"`
	Since string   `json:"since"`
	Fresh bool     `json:"fresh"`
}

func signerView(k core.KeptKey) SignerView {
	return SignerView{
		DID: k.DID, Kind: k.Kind, PublicKey: k.PublicKey, Fingerprint: k.Fingerprint, Words: words(k.Words), Name: k.Name, Where: k.Where,
		Since: k.Since.String(), InUse: k.InUse, RetiredAt: k.RetiredAt.String(), RevokedAt: k.RevokedAt.String(), Successor: k.Successor,
	}
}

func keyReadingView(r core.KeyReading) KeyReadingView {
	return KeyReadingView{
		DID: r.DID, Fingerprint: r.Fingerprint, Words: words(r.Words), Where: r.Where, Own: r.Own, Name: r.Name,
		News: list(r.News, keyNewsView),
	}
}

func keyNewsView(n core.KeyNews) KeyNewsView {
	shown := n.Key.Words
	if n.Next != nil {
		shown = n.Next.Words
	}
	return KeyNewsView{Kind: n.Kind, Name: n.Name, Words: words(shown), At: n.At.String(), Since: n.Since.String(), Fresh: n.Fresh}
}
