package bridge

// RecoveryView is a recovery key that is not in use yet. Ask are the positions
// in RecoveryGroups of the two that are to be typed back.
type RecoveryView struct {
	RecoveryKey    string   `json:"recoveryKey"`
	RecoveryGroups []string `json:"recoveryGroups"`
	Ask            []int    `json:"ask"`
}

// KeychainView says whether the operating system's keychain can open the vault.
type KeychainView struct {
	Available bool `json:"available"`
	Allowed   bool `json:"allowed"`
}

// RotationView says how far a rotation is; also the payload of the event
// "keys".
type RotationView struct {
	Running    bool `json:"running"`
	Paused     bool `json:"paused"`
	KeyVersion int  `json:"keyVersion"`
	Done       int  `json:"done"` // sealed values under the newest key
	Total      int  `json:"total"`
}

// RekeyView is the payload of the event "rekey".
type RekeyView struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}
