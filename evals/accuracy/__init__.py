"""Whether models implement shipped tickets better with Crosscheck: rebuilt, attempted, judged blind."""
