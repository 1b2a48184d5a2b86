import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { Expression, Variables } from './compile-expression.ts'
import { ExpressionError } from './expression-error.ts'

/** Options of a trigger that are expressions. */
export const EXPRESSION_OPTIONS = [
  'filter',
  'dedup_key',
  'concurrency_key',
  'order_key',
  'debounce_key',
] as const
export type ExpressionOption = (typeof EXPRESSION_OPTIONS)[number]
export type KeyOption = Exclude<ExpressionOption, 'filter'>

/** Expressions of a trigger's options. Options that are not set are absent. */
export type OptionExpressions = { filter?: Expression<boolean> } & {
  [Name in KeyOption]?: Expression<string | null>
}

/** Value of an expression on one event, or the reason why it has none. */
export type ExpressionValue<Value> = { value: Value } | { error: string }

type Compiler = typeof import('./compile-expression.ts')
let compiler: Promise<Compiler> | undefined

export function hasExpressions(options: TriggerOptions): boolean {
  return EXPRESSION_OPTIONS.some((name) => options[name] !== undefined)
}

/**
 * Compiles the expressions of a trigger's options. The compiler is loaded on first use, because most objects never need
 * it.
 * @param onInvalid called for an expression that cannot be compiled; such an expression fails on each event. Throws by
 *   default
 * @throws {ExpressionError} with the name of the option, if an expression is invalid
 */
export async function compileOptions(
  options: TriggerOptions,
  onInvalid = (name: ExpressionOption, error: ExpressionError): void => {
    throw new InvalidOptionError(name, error)
  },
): Promise<OptionExpressions> {
  const compiled: OptionExpressions = {}
  for (const name of EXPRESSION_OPTIONS) {
    const source = options[name]
    if (source === undefined) continue
    const { compileCondition, compileKey } = await (compiler ??= import('./compile-expression.ts'))
    try {
      if (name === 'filter') compiled.filter = compileCondition(source)
      else compiled[name] = compileKey(source)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      onInvalid(name, error)
      compiled[name] = failing(error)
    }
  }
  return compiled
}

/** An expression in a trigger's options is invalid. */
export class InvalidOptionError extends Error {
  override name = 'InvalidOptionError'
  readonly option: ExpressionOption

  constructor(option: ExpressionOption, cause: ExpressionError) {
    super(cause.message, { cause })
    this.option = option
  }
}

/** @throws {unknown} only for errors that are not caused by the expression or the event */
export function evaluateOn<Value>(
  expression: Expression<Value>,
  variables: Variables,
): ExpressionValue<Value> {
  try {
    return { value: expression.evaluate(variables) }
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.message }
    throw error
  }
}

/** Evaluates all expressions on one event, for previews. */
export function evaluateAll(
  expressions: OptionExpressions,
  variables: Variables,
): Partial<Record<ExpressionOption, ExpressionValue<boolean | string | null>>> {
  const values = Object.entries(expressions).map(([name, expression]) => [
    name,
    evaluateOn<boolean | string | null>(expression, variables),
  ])
  return Object.fromEntries(values)
}

function failing(error: ExpressionError): Expression<never> {
  return {
    evaluate: () => {
      throw error
    },
    steps: 0,
  }
}
