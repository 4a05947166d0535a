; Beside the grammar's own tags query.

(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
]) @scope

(const_item name: (identifier) @name) @definition
(static_item name: (identifier) @name) @definition
(function_signature_item name: (identifier) @name) @definition
(associated_type name: (type_identifier) @name) @definition
(enum_variant name: (identifier) @name) @definition
(struct_item body: (field_declaration_list (field_declaration name: (field_identifier) @name) @definition))

(type_identifier) @name @reference
(call_expression function: [
  (scoped_identifier name: (identifier) @name)
  (generic_function function: [
    (identifier) @name
    (scoped_identifier name: (identifier) @name)
    (field_expression field: (field_identifier) @name)
  ])
]) @reference
(macro_invocation macro: (scoped_identifier name: (identifier) @name)) @reference
(attribute arguments: (token_tree (identifier) @name)) @reference
