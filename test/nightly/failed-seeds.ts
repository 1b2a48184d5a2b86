import type { TaskMeta } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    failedSeeds?: number[]
  }
}

/** Collects failed seeds, so that the remaining seeds are still played. */
export class FailedSeeds {
  readonly #texts = new Map<number, string>()
  readonly #command: string

  /** @param command replays a seed if prefixed with `SVC_SEED=… ` */
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

  /** @throws {Error} with the trace of each failed seed and the command to replay it */
  throwIfAny(meta: TaskMeta): void {
    if (this.#texts.size === 0) return
    meta.failedSeeds = [...this.#texts.keys()]
    throw new Error([...this.#texts.values()].join('\n\n'))
  }
}
