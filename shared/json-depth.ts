/**
 * Whether a JSON value nests deeper than some levels. Level by level: a recursion would itself run out of stack on
 * what `JSON.parse` takes without a limit and `JSON.stringify` can not write again.
 */
export function isDeeper(value: unknown, depth: number): boolean {
  let level: object[] = isNested(value) ? [value] : []
  for (; level.length > 0; depth--) {
    if (depth === 0) return true
    level = level.flatMap((node) => Object.values(node).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
