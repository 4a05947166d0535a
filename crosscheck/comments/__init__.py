"""Comments on tickets and pages: how they are noticed, answered and who may ask."""
