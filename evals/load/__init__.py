"""A company's busy hour in minutes, with faults, and a steady half hour: what is lost, doubled, late or leaking."""
