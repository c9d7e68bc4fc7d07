"""The garbage collector: objects whose owners are gone go, too: at once, before their owner, or never."""
