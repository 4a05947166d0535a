; Beside the grammar's own tags query: what a class holds, types, base classes, exceptions and bare decorators.

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name) @definition)))

(type_alias_statement left: (type (identifier) @name)) @definition

(type [
  (identifier) @name
  (attribute attribute: (identifier) @name)
  (union_type (type (identifier) @name))
  (binary_operator [(identifier) @name (binary_operator (identifier) @name)])
  (generic_type (identifier) @name)
]) @reference

(class_definition
  superclasses: (argument_list [
    (identifier) @name
    (attribute attribute: (identifier) @name)
    (subscript value: (identifier) @name)
  ])) @reference

(decorator [
  (identifier) @name
  (attribute attribute: (identifier) @name)
]) @reference

(except_clause value: [
  (identifier) @name
  (attribute attribute: (identifier) @name)
  (tuple (identifier) @name)
  (as_pattern . [(identifier) @name (attribute attribute: (identifier) @name) (tuple (identifier) @name)])
]) @reference

(raise_statement . (identifier) @name) @reference
