package bridge_test

import (
	"testing"

	"keepsake/app/bridge"
)

// A page asks one thing at a time: what it asked before stops, and what others ask
// goes on.
func TestAQuestionEndsTheOneBefore(t *testing.T) {
	var l bridge.Latest
	first, endFirst := bridge.Begin(&l, "page")
	other, endOther := bridge.Begin(&l, "another page")
	second, endSecond := bridge.Begin(&l, "page")
	if !first() || second() || other() {
		t.Errorf("stopped: the first %v, the second %v, another page's %v", first(), second(), other())
	}
	endFirst() // once it notices, which leaves the second alone
	third, endThird := bridge.Begin(&l, "page")
	if !second() || third() {
		t.Errorf("stopped: the second %v, the third %v", second(), third())
	}
	endSecond()
	endThird()
	endOther()
	if again, end := bridge.Begin(&l, "page"); again() {
		t.Error("stopped by what had ended")
	} else {
		end()
	}
}
