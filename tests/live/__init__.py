"""Asks real accounts, or the embedded environment as if it were them: `scripts/live`.

`plan` says what would be done, `names` how it is called, so that `sweep` finds what a killed run has left; `questions` settle
what docs/design/beliefs.md lists, `life` is one small environment from nothing to nothing. What an account has answered lies in
`recorded`, and the embedded environment is held against it.
"""
