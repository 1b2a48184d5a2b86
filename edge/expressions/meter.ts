import { EXPRESSION_STEPS_MAX, EXPRESSION_TEXT_MAX_CHARACTERS } from '../../shared/limits.ts'
import { ExpressionError } from './expression-error.ts'
import { type SyntaxNode, visitNodes } from './syntax-tree.ts'

/** Thrown instead of new errors, because a loop may catch it once for each element. */
const TOO_EXPENSIVE = new ExpressionError(
  `too expensive for this event: over ${EXPRESSION_STEPS_MAX} steps`,
)
const LONG_DURATION = new ExpressionError('duration: the text is too long')
const TOO_LONG = new ExpressionError(`text of over ${EXPRESSION_TEXT_MAX_CHARACTERS} characters`)

/** Work that takes about as long as the evaluation of one node. */
const CHARACTERS_PER_STEP = 256
const ELEMENTS_PER_STEP = 8
/** Formatting a time in a time zone is slow. */
const TIME_ZONE_STEPS = 500

/** The library parses durations with a regular expression that takes cubic time. */
const DURATION_MAX_CHARACTERS = 32
const DURATION_STEPS = 50

/**
 * Counts the steps of an evaluation, and stops it at a limit. A step is the evaluation of one node of the expression.
 * Work whose cost depends on the event, such as the comparison of two lists, counts as more steps. The limit is a
 * number of steps and not a time, so that the same event always has the same result.
 */
export class Meter {
  #left = 0

  /** @param root a type-checked expression. Its nodes count their evaluations from now on */
  constructor(root: SyntaxNode) {
    const iterables = new Set<unknown>()
    visitNodes(root, ({ op, args }) => {
      if (op === 'comprehension') iterables.add((args as { iterable: unknown }).iterable)
    })
    visitNodes(root, (node) => {
      this.#countEvaluations(node, iterables.has(node))
      this.#countOperands(node)
    })
  }

  /** @throws {ExpressionError} if the work takes too many steps, even if the expression itself ignored the error */
  run<Result>(work: () => Result): Result {
    this.#left = EXPRESSION_STEPS_MAX
    try {
      const result = work()
      if (this.#left < 0) throw TOO_EXPENSIVE
      return result
    } catch (error) {
      throw this.#left < 0 ? TOO_EXPENSIVE : error
    }
  }

  get steps(): number {
    return EXPRESSION_STEPS_MAX - this.#left
  }

  #charge(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw TOO_EXPENSIVE
  }

  #countEvaluations(node: SyntaxNode, isIterable: boolean): void {
    const { alternate, macro, evaluate: evaluateNode } = node.meta
    const [target, evaluate] = alternate
      ? [
          alternate,
          (ev: unknown, at: unknown, context: unknown) =>
            (at as SyntaxNode).evaluate(ev, at, context),
        ]
      : macro
        ? [macro, macro.evaluate]
        : [node, evaluateNode]
    node.evaluate = (evaluator, _, context) => {
      this.#charge(1)
      const value = evaluate.call(target, evaluator, target, context)
      if (typeof value === 'string') this.#charge(value.length / CHARACTERS_PER_STEP)
      else if (Array.isArray(value))
        this.#charge(isIterable ? value.length : value.length / ELEMENTS_PER_STEP)
      else if (isIterable && typeof value === 'object' && value !== null)
        this.#charge(Object.keys(value).length)
      return value
    }
  }

  #countOperands(node: SyntaxNode): void {
    const { handle, op } = node
    if (!handle) return
    if (op === '==' || op === '!=' || op === 'in')
      node.handle = (left, right, ...rest) => {
        this.#charge(Math.min(this.#weigh(left), op === 'in' ? Infinity : this.#weigh(right)))
        if (op === 'in') this.#charge(this.#weigh(right))
        return handle(left, right, ...rest)
      }
    if (op === '+')
      node.handle = (left, right, ...rest) => {
        if (typeof left === 'string' && typeof right === 'string')
          requireTextLength(left.length + right.length)
        return handle(left, right, ...rest)
      }
    if (op === 'call' || op === 'rcall')
      node.handle = (operands, ...rest) => {
        this.#charge(this.#callSteps((node.args as [string])[0], operands as unknown[]))
        return handle(operands, ...(rest as [unknown]))
      }
  }

  #callSteps(name: string, [subject, argument]: readonly unknown[]): number {
    if (name.startsWith('get')) return argument === undefined ? 0 : TIME_ZONE_STEPS
    if (name === 'join' && Array.isArray(subject)) {
      const separator = typeof argument === 'string' ? argument.length : 0
      const weight = this.#weigh(subject)
      let characters = 0
      for (const part of subject)
        characters += separator + (typeof part === 'string' ? part.length : 0)
      requireTextLength(characters)
      return weight
    }
    if (name === 'duration' && typeof subject === 'string') {
      if (subject.length > DURATION_MAX_CHARACTERS) throw LONG_DURATION
      return DURATION_STEPS
    }
    // A search may compare each character of the text with each character that it looks for.
    if (typeof subject === 'string')
      return typeof argument === 'string'
        ? (subject.length * Math.max(1, argument.length)) / CHARACTERS_PER_STEP
        : subject.length / CHARACTERS_PER_STEP
    return name === 'size' && typeof subject === 'object' && subject !== null
      ? Object.keys(subject).length / ELEMENTS_PER_STEP
      : 0
  }

  /** Returns the steps for visiting a whole value, or a larger number than is left. */
  #weigh(value: unknown): number {
    let weight = 0
    const pending = [value]
    while (pending.length > 0 && weight <= this.#left) {
      const next = pending.pop()
      weight += typeof next === 'string' ? 1 + next.length / CHARACTERS_PER_STEP : 1
      if (typeof next !== 'object' || next === null) continue
      const parts: unknown[] = Array.isArray(next) ? next : Object.values(next)
      weight += parts.length / ELEMENTS_PER_STEP
      if (weight > this.#left) break
      for (const part of parts) pending.push(part)
    }
    return weight
  }
}

function requireTextLength(characters: number): void {
  if (characters > EXPRESSION_TEXT_MAX_CHARACTERS) throw TOO_LONG
}
