; Not with the grammar's own tags query: it takes every variable for a call where locals are not followed.

(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition
(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @definition
(method name: [(identifier) (constant) (operator) (setter)] @name) @definition
(singleton_method name: [(identifier) (constant) (operator) (setter)] @name) @definition
(alias name: (_) @name) @definition
(assignment left: (constant) @name) @definition
((call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name @definition))
  (#match? @_method "^attr_(reader|writer|accessor)$"))

(call method: [(identifier) (constant)] @name) @reference
(constant) @name @reference
