"""Starts real distributed training jobs, watches them rank by rank and hurts them on request."""
