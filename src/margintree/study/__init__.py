"""The paper's study: its jobs, how they run, where their rows are kept and how they are read."""
