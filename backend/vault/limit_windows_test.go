package vault_test

import "errors"

const canLimitFiles = false

func limitFiles(uint64) (lift func() error, err error) { return nil, errors.ErrUnsupported }
