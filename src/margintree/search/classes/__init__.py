"""The search for class trees: hierarchies of the classes, proved best for ten classes or fewer."""
