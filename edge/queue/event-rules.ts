import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { Expression } from '../expressions/compile-expression.ts'
import {
  compileOptions,
  evaluateOn,
  hasExpressions,
  type KeyOption,
  type OptionExpressions,
} from '../expressions/option-expressions.ts'
import { groupKey } from '../triggers/group-key.ts'
import type { CollectRule } from './collected-runs.ts'
import type { EventCounts } from './event-counts.ts'
import { type Firing, runParams } from './firing.ts'
import { parseTriggerOptions, type TriggerRow } from './records.ts'
import type { RunStore } from './run-store.ts'
import type { TriggerState } from './trigger-state.ts'

type EventRulesOptions = {
  state: TriggerState
  store: Pick<RunStore, 'revision'>
  counts: EventCounts
}

export type RuledEvent =
  | { state: 'filtered' }
  /** `delivery` is the deduplication key of the event, and `key` that of its run, null if it has none. */
  | { state: 'accepted'; delivery?: string; key?: string | null; collect?: CollectRule }

type Rules = { options: TriggerOptions; expressions: OptionExpressions }

/** A change compiles the new options before it replaces the current ones. */
const COMPILED_MAX = 4

/** Applies the expressions in a trigger's options to events. Events of other triggers are not parsed. */
export class EventRules {
  readonly #options: EventRulesOptions
  /** By the text of the options. The value is undefined if the options contain no rules for events. */
  readonly #compiled = new Map<string, Rules | undefined>()
  #defaultParams: { revision: number; text: string } | undefined

  constructor(options: EventRulesOptions) {
    this.#options = options
  }

  /**
   * Compiles the trigger's expressions, unless they are already compiled. Must be called before the trigger's first
   * event, because ticks and logs are queued synchronously.
   */
  async prepare(trigger: { options: string } | undefined): Promise<void> {
    if (!trigger || this.#compiled.has(trigger.options)) return
    const options = parseTriggerOptions(trigger)
    // An expression that is no longer valid fails on each event, which the statistics of the trigger show.
    const rules = hasRules(options)
      ? { options, expressions: await compileOptions(options, () => undefined) }
      : undefined
    const current = this.#options.state.current?.options
    if (this.#compiled.size >= COMPILED_MAX)
      for (const text of this.#compiled.keys()) if (text !== current) this.#compiled.delete(text)
    this.#compiled.set(trigger.options, rules)
  }

  appliesTo(options: TriggerOptions): boolean {
    return hasRules(options)
  }

  /** Evaluates the filter and the deduplication key on the params that the action would receive. */
  apply(trigger: TriggerRow, firing: string, body: Uint8Array): RuledEvent {
    const { counts } = this.#options
    const rules = this.#rulesOf(trigger)
    if (!rules) return { state: 'accepted' }
    const { expressions } = rules
    const hasParams = Object.keys(expressions).length > 0
    const params = hasParams ? this.#paramsOf(trigger, firing, body) : {}
    const { filter, dedup_key } = expressions
    if (filter) {
      const matches = evaluateOn(filter, params)
      if ('error' in matches) counts.addError('filter_errors', `filter: ${matches.error}`)
      else if (!matches.value) counts.add('filtered')
      if ('error' in matches || !matches.value) return { state: 'filtered' }
    }
    const delivery = dedup_key && this.#evaluateKey('dedup_key', dedup_key, params)
    const key = trigger.keyed ? { key: this.#runKey(expressions, params) } : {}
    const collect = this.#collectRule(rules.options, expressions, params)
    return {
      state: 'accepted',
      ...(delivery == null ? {} : { delivery }),
      ...key,
      ...(collect && { collect }),
    }
  }

  #collectRule(
    { batch, debounce_ms: ms }: TriggerOptions,
    { debounce_key }: OptionExpressions,
    params: Record<string, unknown>,
  ): CollectRule | undefined {
    if (batch) return { kind: 'batch', maxEvents: batch.max_events, maxMs: batch.max_ms }
    if (ms === undefined) return undefined
    if (!debounce_key) return { kind: 'debounce', key: groupKey('debounce_key', ''), ms }
    const key = this.#evaluateKey('debounce_key', debounce_key, params)
    return key === null ? undefined : { kind: 'debounce', key, ms }
  }

  /** Returns the key of a run: as it was determined by `apply`, or evaluated now for a test run or a replay. */
  keyOf(
    trigger: TriggerRow,
    { firing, body, key }: { firing: string; body: Uint8Array; key?: string | null },
  ): string | null {
    if (key !== undefined) return key
    const rules = this.#rulesOf(trigger)
    if (!rules) return null
    return this.#runKey(rules.expressions, this.#paramsOf(trigger, firing, body))
  }

  #runKey(
    { concurrency_key, order_key }: OptionExpressions,
    params: Record<string, unknown>,
  ): string | null {
    if (order_key) return this.#evaluateKey('order_key', order_key, params)
    return concurrency_key ? this.#evaluateKey('concurrency_key', concurrency_key, params) : null
  }

  #evaluateKey(
    option: KeyOption,
    expression: Expression<string | null>,
    params: Record<string, unknown>,
  ): string | null {
    const key = evaluateOn(expression, params)
    if ('error' in key) this.#options.counts.addError('key_errors', `${option}: ${key.error}`)
    return 'error' in key || key.value === null ? null : groupKey(option, key.value)
  }

  #rulesOf({ options }: TriggerRow): Rules | undefined {
    if (this.#compiled.has(options)) return this.#compiled.get(options)
    // Not prepared yet, for example after an operator's import.
    if (!hasRules(parseTriggerOptions({ options }))) return undefined
    throw new Error('the expressions of the trigger are not compiled')
  }

  /** The default params of a revision never change, so they are read once. */
  #paramsOf({ revision }: TriggerRow, firing: string, body: Uint8Array): Record<string, unknown> {
    if (this.#defaultParams?.revision !== revision)
      this.#defaultParams = { revision, text: this.#options.store.revision(revision).defaultParams }
    return runParams(
      { defaultParams: this.#defaultParams.text },
      JSON.parse(firing) as Firing,
      body,
    )
  }
}

function hasRules(options: TriggerOptions): boolean {
  return hasExpressions(options) || options.debounce_ms !== undefined || options.batch !== undefined
}
