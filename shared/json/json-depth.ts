/**
 * Returns true if a value is nested deeper than `depth`. Checks level by level, because recursion could overflow the
 * stack: `JSON.parse` accepts any depth, but `JSON.stringify` does not.
 */
export function isDeeperThan(value: unknown, depth: number): boolean {
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
