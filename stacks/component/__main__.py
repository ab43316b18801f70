"""The component package of Firnline: `Environment`, for programs in TypeScript, Go, C#, Java, YAML and Python.

pulumi package add github.com/firnline/firnline/stacks/component      # or the path of this folder (docs/any-language.md)
"""

from firnline_infra.pulumi.package.component import serve

serve()
