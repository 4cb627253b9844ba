//go:build cgo && production && webkit2_41

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <string.h>
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

static void find_view(GtkWidget *widget, gpointer found) {
  if (WEBKIT_IS_WEB_VIEW(widget)) *(WebKitWebView **)found = WEBKIT_WEB_VIEW(widget);
  else if (GTK_IS_CONTAINER(widget)) gtk_container_forall(GTK_CONTAINER(widget), find_view, found);
}

static gboolean throw_page_away(gpointer unused) {
  (void)unused;
  WebKitWebView *view = NULL;
  GList *windows = gtk_window_list_toplevels();
  for (GList *one = windows; one != NULL && view == NULL; one = one->next) find_view(GTK_WIDGET(one->data), &view);
  g_list_free(windows);
  const gchar *shown = view == NULL ? NULL : webkit_web_view_get_uri(view);
  if (shown != NULL) {
    gchar *address = g_strdup(shown); // it holds ids, never words
    webkit_web_view_terminate_web_process(view);
    webkit_web_view_load_uri(view, address);
    g_free(address);
  }
  return G_SOURCE_REMOVE;
}

static void schedule_throwing_away(void) { g_idle_add(throw_page_away, NULL); }

enum { AS_TEXT, AS_HINT };

static void give(GtkClipboard *board, GtkSelectionData *wanted, guint form, gpointer text) {
  (void)board;
  if (form == AS_HINT) gtk_selection_data_set(wanted, gtk_selection_data_get_target(wanted), 8, (const guchar *)"secret", 6);
  else gtk_selection_data_set_text(wanted, text, -1);
}

static void forget(GtkClipboard *board, gpointer text) {
  (void)board;
  explicit_bzero(text, strlen(text));
  g_free(text);
}

static gboolean set_clipboard(gpointer text) {
  GtkClipboard *board = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
  if (*(char *)text == '\0') {
    gtk_clipboard_clear(board);
    g_free(text);
    return G_SOURCE_REMOVE;
  }
  GtkTargetList *list = gtk_target_list_new(NULL, 0);
  gtk_target_list_add_text_targets(list, AS_TEXT);
  gtk_target_list_add(list, gdk_atom_intern_static_string("x-kde-passwordManagerHint"), 0, AS_HINT);
  gint count;
  GtkTargetEntry *targets = gtk_target_table_new_from_list(list, &count);
  if (!gtk_clipboard_set_with_data(board, targets, count, give, forget, text)) forget(board, text);
  gtk_target_table_free(targets, count);
  gtk_target_list_unref(list);
  return G_SOURCE_REMOVE;
}

static void schedule_clipboard(const char *text, gsize size) { g_idle_add(set_clipboard, g_strndup(text, size)); }
*/
import "C"

import (
	"context"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a process begins with, so that freed memory is overwritten in it. wiping is
// for the C library, which must not keep small pieces for the next taker either:
// those it leaves as they are. WebKit takes its memory from there when told so by
// fromLibrary. clobbering is for Go's collector: what it frees may become a stack,
// which is handed out as it lies there.
const (
	tunables    = "GLIBC_TUNABLES"
	wiping      = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
	fromLibrary = "Malloc" // WebKit's own name for it
	goDebug     = "GODEBUG"
	clobbering  = "clobberfree=1"
)

// WipeWhatIsFreed has GTK, WebKit and Go overwrite what they free in this process:
// messages between Go and the page hold texts and the passphrase. All look into
// the environment before anything else of the program runs, so it begins anew,
// once. WebKit's other processes keep their own allocator, which is the harder one
// to attack.
func WipeWhatIsFreed() {
	if !strings.HasSuffix(os.Getenv(tunables), wiping) {
		add(tunables, ":", wiping)
		add(goDebug, ",", clobbering)
		os.Setenv(fromLibrary, "1")
		if self, err := os.Executable(); err == nil {
			_ = unix.Exec(self, os.Args, os.Environ()) // returns only when it failed: then more stays in memory
		}
	}
	os.Unsetenv(fromLibrary)
	takeBack(goDebug, ",", clobbering)
	takeBack(tunables, ":", wiping)
}

// add puts a setting behind those that a variable holds.
func add(variable, between, setting string) {
	if before := os.Getenv(variable); before != "" {
		setting = before + between + setting
	}
	os.Setenv(variable, setting)
}

// takeBack leaves a variable as it was before add.
func takeBack(variable, between, setting string) {
	before := strings.TrimSuffix(strings.TrimSuffix(os.Getenv(variable), setting), between)
	if before == "" {
		os.Unsetenv(variable)
		return
	}
	os.Setenv(variable, before)
}

// throwPageAway ends the process of the web view, and all that a page left in
// its memory with it, and loads the page into a new one.
func throwPageAway(context.Context) { C.schedule_throwing_away() }

// setClipboard offers text with the hint by which clipboard managers know what
// they are not to keep. "" gives the clipboard up.
func setClipboard(_ context.Context, text string) error {
	C.schedule_clipboard((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.gsize(len(text)))
	return nil
}
