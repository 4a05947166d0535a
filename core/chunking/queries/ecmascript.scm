; Beside the tags query of the JavaScript grammar, for TypeScript too: constants of a module, functions kept in class
; fields are in each language's own file.

(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition)))

(method_definition name: (private_property_identifier) @name) @definition

(decorator [
  (identifier) @name
  (call_expression function: (identifier) @name)
]) @reference
