package bridge_test

import (
	"testing"

	"keepsake/app/bridge"
)

// A page asks one thing at a time: what it asked before stops, and what others ask
// goes on.
func TestASearchEndsTheOneBefore(t *testing.T) {
	var s bridge.Search
	first, endFirst := bridge.Asking(&s, "page", 1)
	other, endOther := bridge.Asking(&s, "another page", 1)
	second, endSecond := bridge.Asking(&s, "page", 2)
	if !first() || second() || other() {
		t.Errorf("stopped: the first %v, the second %v, another page's %v", first(), second(), other())
	}
	endFirst() // once it notices, which leaves the second alone
	third, endThird := bridge.Asking(&s, "page", 3)
	if !second() || third() {
		t.Errorf("stopped: the second %v, the third %v", second(), third())
	}
	endSecond()
	endThird()
	endOther()
	if again, end := bridge.Asking(&s, "page", 4); again() {
		t.Error("stopped by what had ended")
	} else {
		end()
	}
}
