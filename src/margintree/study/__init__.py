"""The paper's study: which runs, how they are done, where their rows are kept, what they say."""
