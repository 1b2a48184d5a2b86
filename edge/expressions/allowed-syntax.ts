import { EXPRESSION_LOOPS_MAX } from '../../shared/limits.ts'
import { ExpressionError } from './expression-error.ts'
import { type SyntaxNode, visitNodes } from './syntax-tree.ts'

/**
 * Functions and macros that expressions may call. Others are rejected, so that a new version of the library cannot add
 * one whose cost is not metered.
 */
const ALLOWED = new Set(
  `has all exists exists_one map filter
  size int double string bool dyn timestamp duration
  contains startsWith endsWith indexOf lastIndexOf substring lowerAscii upperAscii trim split join
  getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear
  getHours getMinutes getSeconds getMilliseconds`.split(/\s+/),
)

const INSTEAD: Record<string, string> = {
  // Regular expressions of the runtime backtrack, so a sender could stop the trigger with one crafted string.
  matches: 'matches is not supported. Use startsWith, endsWith, contains or ==',
}

/** @throws {ExpressionError} if the expression calls a function that is not allowed, or nests too many loops */
export function requireAllowedSyntax(root: SyntaxNode): void {
  visitNodes(root, (node, loops) => {
    const position = node.start + 1
    if (node.op === 'comprehension' && loops >= EXPRESSION_LOOPS_MAX)
      throw new ExpressionError(
        `more than ${EXPRESSION_LOOPS_MAX} nested loops (all, exists, exists_one, map, filter)`,
        position,
      )
    if (node.op !== 'call' && node.op !== 'rcall') return
    const [name] = node.args as [string]
    if (!ALLOWED.has(name))
      throw new ExpressionError(INSTEAD[name] ?? `unknown function ${name}`, position)
  })
}
