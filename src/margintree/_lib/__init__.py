"""What any package could use: array types, whole files, optional packages, exact products."""
