"""How well the right evidence is found, on sets of questions with known answers."""
