"""The page of a result: the story, then alternatives, then the evidence, then how to run it again."""
