#!/usr/bin/python3
"""A window to drag files out of, as a file manager offers them: dragsource.py PATH…"""
import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

uris = [pathlib.Path(p).absolute().as_uri() for p in sys.argv[1:]]


def give(_widget, _context, selection, _info, _time):
    selection.set_uris(uris)


def end(_widget, _context):
    print("drag ended", flush=True)


window = Gtk.Window(title="keepsake drag source")
window.set_default_size(200, 120)
box = Gtk.EventBox()
box.add(Gtk.Label(label="drag from here"))
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
box.connect("drag-data-get", give)
box.connect("drag-end", end)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.move(0, 0)
window.show_all()
print("ready", flush=True)
Gtk.main()
