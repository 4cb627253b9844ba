package embedserver

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"keepsake/backend/core/meaning"
)

// Encoder is a server with the model that it had when it was connected to.
type Encoder struct {
	client client
	name   string
	probe  []float32 // vector of samples[0]
	mean   []float32 // of the vectors of samples
}

// sameModel is the cosine of two vectors of one text, from which on the server counts as
// having the same model. Rounding moves it by less than a millionth, another quantization of
// the model by more than this.
const sameModel = 0.999

// Connect asks a server what its vectors are like. It is a meaning.Connect.
func Connect(ctx context.Context, server meaning.Server, probe []float32) (meaning.Encoder, []float32, error) {
	if err := server.Check(); err != nil {
		return nil, nil, err
	}
	e := &Encoder{client: client{server, newClient()}}
	all, err := e.client.embed(ctx, samples())
	if err != nil {
		return nil, nil, err
	}
	if e.probe = all[0]; isClose(probe, e.probe) {
		e.probe = probe
	}
	e.mean = meanOf(all)
	e.name = fmt.Sprintf("%s/%d-%x", server.Label(), len(e.probe), hash(e.probe))
	return e, e.probe, nil
}

// Name is the API, the model, the dimensions and a hash of the probe's vector, so that another
// model under the same name has another Name.
func (e *Encoder) Name() string { return e.name }

// Dimensions is the size of its vectors.
func (e *Encoder) Dimensions() int { return len(e.probe) }

// Mean is that of a few sentences, a rough one.
func (e *Encoder) Mean() []float32 { return e.mean }

// QuestionMean is not known.
func (e *Encoder) QuestionMean() []float32 { return nil }

// Similarity maps the cosine to 0..1 by a straight line: 0.5 is nothing in common, and 0.7 a
// cosine of 0.4. Nothing was measured for it.
func (e *Encoder) Similarity(cosine float64) float64 { return min(max((1+cosine)/2, 0), 1) }

// Limits of a request.
const (
	mostTexts = 16   // in one request, beside the probe
	textBytes = 2000 // of each text; some 500 tokens, which all models take
)

// Embed returns a vector of length 1 for each text. With each request goes the probe, by
// whose vector another model is told.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for some := range slices.Chunk(texts, mostTexts) {
		asked := []string{samples()[0]}
		for _, text := range some {
			asked = append(asked, clip(strings.ToValidUTF8(text, "\ufffd")))
		}
		vectors, err := e.client.embed(ctx, asked)
		if err != nil {
			return nil, err
		}
		if !isClose(e.probe, vectors[0]) {
			return nil, meaning.ErrModelChanged()
		}
		all = append(all, vectors[1:]...)
	}
	return all, nil
}

// clip returns the beginning of a text, in whole characters.
func clip(text string) string {
	if len(text) <= textBytes {
		return text
	}
	end := textBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// isClose tells whether two vectors of length 1 are of the same text and the same model.
func isClose(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	var cosine float64
	for i := range a {
		cosine += float64(a[i]) * float64(b[i])
	}
	return cosine >= sameModel
}

func meanOf(all [][]float32) []float32 {
	mean := make([]float32, len(all[0]))
	for _, v := range all {
		for i, x := range v {
			mean[i] += x / float32(len(all))
		}
	}
	return mean
}

func hash(v []float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(x))
	}
	sum := sha256.Sum256(b)
	return sum[:4]
}

// samples are texts that are no one's: the first is the probe, all of them give the mean.
// Change none: all vectors of all servers would be made anew.
func samples() []string {
	return []string{
		"The quick brown fox jumps over the lazy dog.",
		"Works in an office three days a week.",
		"The train to the city leaves at half past seven.",
		"Prefers short answers with an example.",
		"It rained all afternoon, so the match was put off.",
		"Gosta de cozinhar para os amigos no domingo.",
		"O relatório precisa ficar pronto até sexta-feira.",
		"Vive en un piso pequeño cerca del mercado.",
		"¿Cómo se cambia una rueda de bicicleta?",
		"Lernt seit einem Jahr Gitarre spielen.",
		"Der Vertrag läuft am Ende des Monats aus.",
		"Elle a deux frères et une sœur.",
		"Comment fait-on une pâte brisée ?",
		"彼は毎朝コーヒーを飲みます。",
		"我打算明年去北京旅行。",
		"Она читает книги по истории.",
	}
}
