"""May a call run, and is the work done? Verdicts on what the model proposes; nothing here runs a tool."""
