import { Environment } from '@marcbachmann/cel-js'
import {
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_MAX_CHARACTERS,
  EXPRESSION_NODES_MAX,
} from '../../shared/limits.ts'
import { requireAllowedSyntax } from './allowed-syntax.ts'
import { ExpressionError } from './expression-error.ts'
import { Meter } from './meter.ts'
import type { SyntaxNode } from './syntax-tree.ts'

/** Params of a run: the variables of an expression. */
export type Variables = Readonly<Record<string, unknown>>

export type Expression<Result> = {
  /** @throws {ExpressionError} if the expression fails on this event, or has a result of another type */
  evaluate(variables: Variables): Result
  /** Steps of the last evaluation (`Meter`). */
  readonly steps: number
}

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: EXPRESSION_NODES_MAX,
    maxDepth: EXPRESSION_DEPTH_MAX,
    maxListElements: EXPRESSION_NODES_MAX,
    maxMapEntries: EXPRESSION_NODES_MAX,
    maxCallArguments: 4,
  },
})

/**
 * Compiles a condition in CEL, such as `event.action == "opened"`.
 * @throws {ExpressionError} if the expression is invalid, or its result can never be a bool
 */
export function compileCondition(source: string): Expression<boolean> {
  return compile(source, ['bool'], (value) => {
    if (typeof value !== 'boolean')
      throw new ExpressionError(`the result is a ${typeName(value)}, not a bool`)
    return value
  })
}

/**
 * Compiles an expression in CEL whose result groups events, such as `event.customer.id`. The result is a string, an
 * integer, another number or a bool, as text. Null means that the event has no key.
 * @throws {ExpressionError} if the expression is invalid, or its result can never be a key
 */
export function compileKey(source: string): Expression<string | null> {
  return compile(source, ['string', 'int', 'uint', 'double', 'bool', 'null'], (value) => {
    if (value === null) return null
    if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean')
      return String(value)
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    throw new ExpressionError(`the result is a ${typeName(value)}, not a string or a number`)
  })
}

function compile<Result>(
  source: string,
  types: readonly string[],
  resultOf: (value: unknown) => Result,
): Expression<Result> {
  if (source.length > EXPRESSION_MAX_CHARACTERS)
    throw new ExpressionError(`longer than ${EXPRESSION_MAX_CHARACTERS} characters`)
  const parsed = guarded(() => environment.parse(source))
  const root = parsed.ast as unknown as SyntaxNode
  requireAllowedSyntax(root)
  const checked = parsed.check()
  if (!checked.valid) throw expressionError(checked.error)
  const type = checked.type ?? 'dyn'
  if (type !== 'dyn' && !types.includes(type))
    throw new ExpressionError(`the result is a ${type}, expected ${types.join(' or ')}`)
  const meter = new Meter(root)
  return {
    evaluate: (variables) =>
      // Without a prototype, so that `constructor` is not a variable.
      guarded(() =>
        meter.run(() => resultOf(parsed(Object.assign(Object.create(null), variables)))),
      ),
    get steps() {
      return meter.steps
    },
  }
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw expressionError(error)
  }
}

/** Errors of the library have a position. Others come from the runtime, such as a text that is too long. */
function expressionError(error: unknown): ExpressionError {
  if (error instanceof ExpressionError) return error
  const { summary, range } = error as { summary?: string; range?: { start: number } }
  // The library determines the type of an object by its constructor.
  if (summary?.startsWith('Unsupported type:'))
    return new ExpressionError('an object with a key named constructor is not supported')
  // The value can be a header that the run history masks, or a text of megabytes.
  if (summary?.startsWith('bool() conversion error'))
    return new ExpressionError('bool: the text is not a bool', range && range.start + 1)
  if (summary !== undefined) return new ExpressionError(summary, range && range.start + 1)
  return new ExpressionError(error instanceof Error ? error.message : 'the evaluation failed')
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' ? 'map' : typeof value
}
