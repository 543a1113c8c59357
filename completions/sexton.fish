complete --keep-order --exclusive --command sexton --arguments "(SEXTON_COMPLETE=fish sexton -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
