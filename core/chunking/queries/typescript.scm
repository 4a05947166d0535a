; Beside the tags queries of the JavaScript and the TypeScript grammar.

(type_alias_declaration name: (type_identifier) @name) @definition
(enum_declaration name: (identifier) @name) @definition
(enum_declaration body: (enum_body [
  name: (property_identifier) @name @definition
  (enum_assignment name: (property_identifier) @name) @definition
]))
(internal_module name: (identifier) @name) @definition
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition
(property_signature name: (property_identifier) @name) @definition

(type_identifier) @name @reference
(extends_clause value: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
]) @reference
