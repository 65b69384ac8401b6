"""Exports, pictures and reports of trees."""
