"""The memory of a run: its events on disk, before anybody is told of them."""
