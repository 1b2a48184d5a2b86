import { setTimeout as sleepFor } from 'node:timers/promises'

/** Rejects when the signal is aborted. */
export type AbortableSleep = (ms: number, signal?: AbortSignal) => Promise<void>

export const abortableSleep: AbortableSleep = (ms, signal) =>
  sleepFor(ms, undefined, signal && { signal })

export const databaseTimeout = () => new Error('the database did not respond in time')

/**
 * Applies a timeout to an operation without canceling the operation. A caller can thus retry over another connection
 * while the first one hangs.
 * @throws {Error} from `timeoutError` after `ms`
 */
export async function rejectAfter<Value>(
  ms: number,
  operation: PromiseLike<Value>,
  timeoutError: () => Error,
  sleep: AbortableSleep = abortableSleep,
): Promise<Value> {
  const timer = new AbortController()
  const timeout = sleep(ms, timer.signal).then(() => {
    throw timeoutError()
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([operation, timeout])
  } finally {
    timer.abort()
  }
}

export async function undefinedAfter<Value>(
  ms: number,
  value: Promise<Value>,
): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  try {
    return await Promise.race([value, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
