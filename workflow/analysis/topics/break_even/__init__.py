"""After how many steps the framework with the shorter step is ahead, although it starts later."""
