import type { TaskMeta } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    failedSeeds?: number[]
  }
}

/** Collects seeds that fail, so that the seeds after them are still played. */
export class FailedSeeds {
  readonly #texts = new Map<number, string>()
  readonly #command: string

  /** @param command replays a seed if `SVC_SEED=… ` stands before it */
  constructor(command: string) {
    this.#command = command
  }

  add(seed: number, message: string, trace: readonly string[]): void {
    const replay = `SVC_SEED=${seed} ${this.#command}`
    this.#texts.set(
      seed,
      [`seed ${seed}: ${message}`, trace.join('\n'), `replay: ${replay}`].join('\n\n'),
    )
  }

  /** @throws {Error} with the trace of each seed that failed, and how to replay it */
  throwIfAny(meta: TaskMeta): void {
    if (this.#texts.size === 0) return
    meta.failedSeeds = [...this.#texts.keys()]
    throw new Error([...this.#texts.values()].join('\n\n'))
  }
}
