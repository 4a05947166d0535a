"""What every measurement shares: cases, metrics with their intervals, stored runs, and what got worse."""
