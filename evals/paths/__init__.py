"""Latency and cost of the common ways through the program, beside a model of a given speed."""
