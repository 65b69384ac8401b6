"""What people see of a tree: exports, pictures, reports."""
