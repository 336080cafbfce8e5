"""JSON Schema as TypeScript: all that a model needs of a tool, in fewer tokens than its definition.

Reading order: `text` (comments, literals and names that nothing can break out of), `hints` (what a comment says beside
the type), `types` (a schema as a type, with marks where it refers to itself), `aliases` (marks become types in place or
names), `render` (signatures, declarations).
"""
