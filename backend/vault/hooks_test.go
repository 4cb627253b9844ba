package vault

import (
	"context"
	"io"

	"keepsake/backend/seal"
)

// What the tests of the pre-flight and of salvage see of the package.
type (
	Check        = check
	FlightReport = flightReport
	Salvaged     = salvaged
)

var Preflight = preflight

// PreflightWithout is a pre-flight that does not look for one thing.
func PreflightWithout(skip Check, f io.ReaderAt, size int64) (FlightReport, error) {
	p := flight{f: f, size: size, skip: skip}
	err := p.run()
	return p.flightReport, err
}

func (r flightReport) Warnings() []error { return r.warnings }
func (r flightReport) Pages() uint64     { return r.pages }
func (r flightReport) Free() uint64      { return r.free }

// FlightOf is the report on the data file of an open vault.
func FlightOf(v *Vault) FlightReport { return v.flight }

// SalvageFile hands out everything that can be read of one data file.
func SalvageFile(ctx context.Context, f io.ReaderAt, size int64, keys *seal.Keys, each func(c Collection, seq uint64, r seal.Record, id string, body []byte) error) (Salvaged, error) {
	s := newSalvor(ctx, keys, newWreck(f, size))
	if err := s.look(); err != nil {
		return s.salvaged, err
	}
	for _, at := range s.newest() {
		if r, body, ok := s.open(at); ok {
			if err := each(at.c, at.seq, r, at.id, body); err != nil {
				return s.salvaged, err
			}
		}
	}
	return s.salvaged, nil
}
