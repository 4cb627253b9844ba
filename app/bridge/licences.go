package bridge

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// The list is written by `make licences`; a test holds it to what is linked in.
//
//go:embed licences.json
var licenceList []byte

func readLicences() ([]LicenceView, error) {
	licences := []LicenceView{}
	if err := json.Unmarshal(licenceList, &licences); err != nil {
		return nil, fmt.Errorf("read licences: %w", err)
	}
	return licences, nil
}
