import { NotFound } from '../failures/by-status.ts'
import type { CallOptions } from '../options.ts'
import type { TriggersParts } from './ask.ts'
import { patiently } from './patience.ts'
import type { Run } from './records.ts'
import { runPages, runsPage } from './run-pages.ts'
import { runNow } from './wait-for-run.ts'

/** Runs that are polled together. The oldest runs are expected to finish first. */
const TOGETHER = 100
/** A Worker can have six open connections. */
const AT_ONCE = 4

type Known = { id: string; queuedAt: number }

export class UnfinishedRuns {
  readonly #parts: TriggersParts
  readonly #triggerId: string
  readonly #options: CallOptions
  readonly #runs = new Map<string, Known>()
  #turn = 0

  /** @param options options of each request, including the combined signal */
  constructor(parts: TriggersParts, triggerId: string, options: CallOptions) {
    this.#parts = parts
    this.#triggerId = triggerId
    this.#options = options
  }

  get size(): number {
    return this.#runs.size
  }

  add({ id, queued_at }: Run): void {
    this.#runs.set(id, { id, queuedAt: Date.parse(queued_at) })
  }

  /** Yields finished runs in small batches, and stops tracking them. */
  async *ended(): AsyncGenerator<Run[], void, undefined> {
    for (const asked of this.#lookedAt()) {
      const going = await this.#stillGoing(asked)
      const left = asked.filter(({ id }) => !going.has(id))
      for (let at = 0; at < left.length; at += AT_ONCE) {
        const runs = await Promise.all(left.slice(at, at + AT_ONCE).map(({ id }) => this.#run(id)))
        yield runs.filter((run) => run !== undefined)
      }
    }
  }

  /**
   * The oldest runs, and a part of the others in rotation. Long-running old runs therefore do not delay the detection
   * of later runs that have finished.
   */
  #lookedAt(): Known[][] {
    const all = [...this.#runs.values()].toSorted((one, other) => one.queuedAt - other.queuedAt)
    const oldest = all.splice(0, TOGETHER)
    if (all.length === 0) return oldest.length > 0 ? [oldest] : []
    const from = (this.#turn++ % Math.ceil(all.length / TOGETHER)) * TOGETHER
    return [oldest, all.slice(from, from + TOGETHER)]
  }

  /**
   * Two list requests instead of one request per run. A run that moves from queued to running between them is in the
   * first list. A run that moves back to the queue may be missing from both lists.
   */
  async #stillGoing(asked: readonly Known[]): Promise<Set<string>> {
    const range = {
      triggerId: this.#triggerId,
      since: new Date(asked[0]!.queuedAt),
      until: new Date(asked.at(-1)!.queuedAt + 1),
    }
    const going = new Set<string>()
    for (const status of ['queued', 'running'] as const) {
      const pages = runPages((place) =>
        this.#patiently(() => runsPage(this.#parts, { ...range, status }, place, this.#options)),
      )
      for await (const { runs } of pages) for (const { id } of runs) going.add(id)
    }
    return going
  }

  /** Undefined if the run has not finished yet, or was deleted. */
  async #run(id: string): Promise<Run | undefined> {
    try {
      const run = await this.#patiently(() => runNow(this.#parts, id, this.#options))
      if (run.finished_at === null) return undefined
      this.#runs.delete(id)
      return run
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
      this.#runs.delete(id)
      return undefined
    }
  }

  #patiently<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    return patiently(question, this.#parts, this.#options.signal)
  }
}
