import { afterAll, beforeAll } from 'vitest'
import type { ActionPoolOptions, PoolEvent } from '../../../origin/actions/pool.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type {
  ActionPool,
  Capability,
  FailedResult,
  RunRequest,
  ActionResult,
  ReturnedResult,
} from '../../../origin/actions/run.ts'
import { keptTemplate } from './kept-template.ts'

/** A capability that rejects every key operation. */
export const NO_KEYS: Capability = {
  keyOperation: () => Promise.reject(new Error('this test grants no keys')),
}

export function request(code: string, changes: Partial<RunRequest> = {}): RunRequest {
  return { account: 'account', code, params: '{}', wallMs: 25_000, cpuMs: 25_000, ...changes }
}

export function returned(result: ActionResult): ReturnedResult {
  if (result.kind !== 'returned')
    throw new Error(`the run did not return: ${JSON.stringify(result)}`)
  return result
}

export function failed(result: ActionResult): FailedResult {
  if (result.kind !== 'failed') throw new Error(`the run did not fail: ${JSON.stringify(result)}`)
  return result
}

/** Shares one pool between the tests of a file, and records its events in order. */
export function sharedPool(options: ActionPoolOptions = { min: 1, max: 2 }) {
  let pool: ActionPool
  const events: PoolEvent[] = []
  beforeAll(async () => {
    const onEvent = (event: PoolEvent) => void events.push(event)
    pool = createActionPool({ template: keptTemplate(), ...options, onEvent })
    await pool.ready()
  })
  afterAll(() => pool.close())
  return {
    events,
    run: (code: string, changes: Partial<RunRequest> = {}, capability = NO_KEYS) =>
      pool.run(request(code, changes), capability),
    /** Returns the parsed result of an action. */
    value: async (code: string, params: unknown = {}): Promise<unknown> => {
      const result = await pool.run(request(code, { params: JSON.stringify(params) }), NO_KEYS)
      return JSON.parse(returned(result).value)
    },
  }
}
