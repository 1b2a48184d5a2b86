/** Syntax tree of the CEL library. The library does not declare the types of its nodes. */

type Handle = (first: unknown, second: unknown, ...rest: unknown[]) => unknown
type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

export type SyntaxNode = {
  /** Operator, such as `==`, `call`, `rcall` (a method call) or `comprehension`. */
  op: string
  args: unknown
  start: number
  meta: { evaluate: Evaluate; alternate?: SyntaxNode; macro?: { evaluate: Evaluate } }
  evaluate: Evaluate
  /** Set by the type check: the function that computes the result of an operator or a call. */
  handle?: Handle
}

/** Visits a node and all nodes below it, including those into which a macro was expanded. Visits each node once. */
export function visitNodes(
  root: SyntaxNode,
  visit: (node: SyntaxNode, loops: number) => void,
): void {
  const seen = new Set<object>()
  const walk = (value: unknown, loops: number): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (Array.isArray(value)) return value.forEach((part) => walk(part, loops))
    if (!isNode(value)) {
      if (isPlain(value)) Object.values(value).forEach((part) => walk(part, loops))
      return
    }
    visit(value, loops)
    const { alternate, macro } = value.meta
    // The arguments of a macro are part of its expansion.
    if (alternate || macro) return walk(alternate ?? macro, loops)
    if (value.op !== 'comprehension') return walk(value.args, loops)
    const { iterable, ...inner } = value.args as { iterable: unknown }
    walk(iterable, loops)
    walk(inner, loops + 1)
  }
  walk(root, 0)
}

function isNode(value: object): value is SyntaxNode {
  return 'op' in value && 'meta' in value && 'start' in value
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}
