"""The values that all other packages work on: trees, problems, rules, costs and results."""
