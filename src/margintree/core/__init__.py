"""The values that everything works on: trees, problems, rules, costs and results."""
