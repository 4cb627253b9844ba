package sensitive

import "slices"

// Topic is a sensitive topic.
type Topic string

// The topics; testdata/README.md says what belongs to each.
const (
	Health    Topic = "health"
	Family    Topic = "family"
	Address   Topic = "address"
	Money     Topic = "money"
	Beliefs   Topic = "beliefs"
	Sexuality Topic = "sexuality"
	Names     Topic = "names"   // of other people
	Numbers   Topic = "numbers" // of documents and accounts
)

// Topics lists all topics, in the order in which people are shown them.
func Topics() []Topic {
	return []Topic{Health, Family, Address, Money, Beliefs, Sexuality, Names, Numbers}
}

// Set is a set of topics.
type Set uint16

// SetOf returns the set of the topics; what is no topic is left out.
func SetOf(topics ...Topic) (s Set) {
	for _, t := range topics {
		if i := slices.Index(Topics(), t); i >= 0 {
			s |= 1 << i
		}
	}
	return s
}

// Has tells whether a topic is in the set.
func (s Set) Has(t Topic) bool { return s&SetOf(t) != 0 }

// Topics lists the topics of the set, in the order of Topics.
func (s Set) Topics() []Topic {
	return slices.DeleteFunc(Topics(), func(t Topic) bool { return !s.Has(t) })
}
