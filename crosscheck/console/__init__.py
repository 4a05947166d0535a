"""The console: a small site at /console for who looks after Crosscheck. It only reads, and shows what the viewer's
labels allow.
"""
