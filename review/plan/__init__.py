"""What could change a plan before it is carried out."""
