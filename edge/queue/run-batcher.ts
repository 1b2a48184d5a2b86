import { EXECUTE_WAIT_CROWDED_MS, EXECUTE_WAIT_MS } from '../../shared/limits.ts'
import type { ExecuteResponse, StoredUsageKey } from '../../shared/wire/sealed.ts'
import { RUNS_PER_REQUEST_MAX } from '../../shared/wire/sealed-runs.ts'
import type { RunToSend, SealedOrigin } from '../trust/sealed-origin.ts'

/**
 * Maximum characters of the sources and params of several runs in one request. A larger run is sent alone. Encrypting a
 * request requires several copies of it in the object's memory.
 */
const BATCH_CHARACTERS_MAX = 1024 * 1024

export type PreparedRun = {
  run: RunToSend
  credential: StoredUsageKey
  /** Called immediately before the run is sent. */
  onSend: () => void
}

type Prepare<Result> = () => PreparedRun | { unsent: Result }

type WaitingRun = {
  prepare: Prepare<unknown>
  resolve: (response: unknown) => void
  reject: (error: unknown) => void
}

type SendingRun = WaitingRun & { prepared: PreparedRun }

/**
 * Sends runs to the origin over a few connections. All runs that wait when a connection becomes free are sent over it
 * in one request, so a busy trigger needs few requests, and the only run of an idle trigger does not wait.
 */
export class RunBatcher {
  readonly #origin: Pick<SealedOrigin, 'executeRuns'>
  #free: number
  #waiting: WaitingRun[] = []
  #isScheduled = false

  constructor(origin: Pick<SealedOrigin, 'executeRuns'>, connections: number) {
    this.#origin = origin
    this.#free = connections
  }

  /**
   * @param prepare called when a connection is free. Returns the run, or `unsent` with the result if the run must not
   * be sent. It may be called several times
   * @throws {OriginUnavailableError} and any error of `prepare`
   */
  send<Result>(prepare: Prepare<Result>): Promise<ExecuteResponse | Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ prepare, resolve: resolve as (response: unknown) => void, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      // Runs that are started in the same turn are sent together.
      queueMicrotask(() => {
        this.#isScheduled = false
        this.#sendWaiting()
      })
    })
  }

  #sendWaiting(): void {
    while (this.#free > 0 && this.#waiting.length > 0) {
      const batch = this.#takeBatch()
      if (batch.length > 0) void this.#sendBatch(batch)
    }
  }

  #takeBatch(): SendingRun[] {
    const batch: SendingRun[] = []
    let characters = 0
    while (batch.length < RUNS_PER_REQUEST_MAX) {
      const [next] = this.#waiting
      if (!next) break
      const prepared = prepareOrSettle(next)
      if (prepared) {
        characters += prepared.run.source.length + prepared.run.params.length
        const [first] = batch
        if (first && characters > BATCH_CHARACTERS_MAX) break
        if (first && keyOf(first.prepared) !== keyOf(prepared)) break
        batch.push({ ...next, prepared })
      }
      this.#waiting.shift()
    }
    return batch.filter(announce)
  }

  async #sendBatch(batch: readonly SendingRun[]): Promise<void> {
    const unanswered = new Map(batch.map((sending) => [sending.prepared.run.id, sending]))
    const { credential } = batch[0]!.prepared
    const runs = batch.map(({ prepared }) => prepared.run)
    this.#free--
    // Limits the wait if no connection is left, so that slow runs hardly delay the start of others.
    const wait_ms = this.#free > 0 ? EXECUTE_WAIT_MS : EXECUTE_WAIT_CROWDED_MS
    try {
      await this.#origin.executeRuns({ credential, wait_ms, runs }, (runId, response) => {
        unanswered.get(runId)?.resolve(response)
        unanswered.delete(runId)
      })
    } catch (error) {
      for (const { reject } of unanswered.values()) reject(error)
    }
    this.#free++
    this.#sendWaiting()
  }
}

const keyOf = ({ credential }: PreparedRun) => credential.sealed_usage_key

function prepareOrSettle({ prepare, resolve, reject }: WaitingRun): PreparedRun | undefined {
  try {
    const prepared = prepare()
    if (!('unsent' in prepared)) return prepared
    resolve(prepared.unsent)
  } catch (error) {
    reject(error)
  }
  return undefined
}

/** @returns false if the run failed instead, and must not be sent */
function announce({ prepared, reject }: SendingRun): boolean {
  try {
    prepared.onSend()
    return true
  } catch (error) {
    reject(error)
    return false
  }
}
