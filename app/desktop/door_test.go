package desktop_test

import (
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"keepsake/app/desktop"
)

// newHome is short: the name of a socket has an end at 104 bytes.
func newHome(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("HOME", dir)
}

func TestASecondStartHandsItsFilesOver(t *testing.T) {
	newHome(t)
	first, err := desktop.OpenDoor("/vault", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	opened := make(chan []string, 2)
	first.Listen(func(files []string) { opened <- files })
	for _, files := range [][]string{{"/a b/ü.zip", "/c.zip"}, {}} {
		if _, err := desktop.OpenDoor("/vault", files); !errors.Is(err, desktop.ErrHandedOver) {
			t.Fatalf("the second start got %v", err)
		}
		select {
		case got := <-opened:
			if len(got) != len(files) || (len(got) > 0 && !reflect.DeepEqual(got, files)) {
				t.Errorf("got %q, want %q", got, files)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("nothing arrived")
		}
	}
}

func TestAStartWaitsForAWindowThatIsStillStarting(t *testing.T) {
	newHome(t)
	first, err := desktop.OpenDoor("/vault", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second := make(chan error, 1)
	go func() {
		_, err := desktop.OpenDoor("/vault", []string{"/early.zip"})
		second <- err
	}()
	opened := make(chan []string, 1)
	first.Listen(func(files []string) { opened <- files })
	if files := <-opened; !reflect.DeepEqual(files, []string{"/early.zip"}) {
		t.Errorf("got %q", files)
	}
	if err := <-second; !errors.Is(err, desktop.ErrHandedOver) {
		t.Errorf("the second start got %v", err)
	}
}

func TestTwoVaultsHaveTwoWindows(t *testing.T) {
	newHome(t)
	for _, vault := range []string{"/one", "/two"} {
		door, err := desktop.OpenDoor(vault, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer door.Close()
	}
}

func TestASocketThatACrashLeftIsNoWindow(t *testing.T) {
	newHome(t)
	first, err := desktop.OpenDoor("/vault", nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	again, err := desktop.OpenDoor("/vault", nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
