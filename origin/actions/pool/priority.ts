import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Nice value of this process. Child processes inherit it. */
const NORMAL_NICE = getPriority()

/**
 * Nice value of a process with lowered priority; 19 is the lowest priority. The process gets about a tenth of a core if
 * other processes compete for it, and the whole core otherwise.
 */
const LOWERED_NICE = Math.min(19, NORMAL_NICE + 10)

/** Number of the capability that is required to raise a process's priority (capabilities(7)). */
const CAP_SYS_NICE = 23n

const MAY_RAISE = hasCapability(CAP_SYS_NICE)

export class Priority {
  readonly #pid: number | undefined
  #mayRaise: boolean
  #isLowered = false

  constructor(pid: number | undefined, mayRaise = MAY_RAISE) {
    this.#pid = pid
    this.#mayRaise = mayRaise
  }

  /** True if the process's priority was lowered and cannot be raised again. */
  get isStuckLow(): boolean {
    return this.#isLowered && !this.#mayRaise
  }

  /** @param forGood lowers the priority even if it cannot be raised again */
  lower({ forGood }: { forGood: boolean }): void {
    if (this.#isLowered || !(forGood || this.#mayRaise)) return
    // Set the flag before the attempt, because an attempt that fails for one thread may still lower the other threads.
    this.#isLowered = true
    this.#set(LOWERED_NICE)
  }

  restore(): void {
    if (!this.#isLowered || !this.#mayRaise) return
    // In a user namespace, the kernel refuses to raise the priority even with the capability.
    if (this.#set(NORMAL_NICE) === 'refused') this.#mayRaise = false
    else this.#isLowered = false
  }

  #set(priority: number): 'refused' | undefined {
    if (this.#pid === undefined) return undefined
    let refused: 'refused' | undefined
    for (const thread of threadsOf(this.#pid)) {
      try {
        setPriority(thread, priority)
      } catch (error) {
        // Any other error means that the thread has just exited.
        const { code } = (error as { info?: { code?: string } }).info ?? {}
        if (code === 'EACCES' || code === 'EPERM') refused = 'refused'
      }
    }
    return refused
  }
}

/** On Linux, each thread has its own priority, and V8 compiles code and collects garbage in separate threads. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}

function hasCapability(capability: bigint): boolean {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))
    return effective !== null && ((BigInt(`0x${effective[1]}`) >> capability) & 1n) === 1n
  } catch {
    // /proc does not exist, so this is not Linux.
    return false
  }
}
