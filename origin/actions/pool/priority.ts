import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** Priority of this process, which its children inherit. */
const USUAL = getPriority()

/** Gives a process about a tenth of a core while others need the rest, and all of it otherwise. 19 is the lowest. */
const LOWERED = Math.min(19, USUAL + 10)

/** Capability required to raise a priority (capabilities(7), CAP_SYS_NICE). */
const CAP_SYS_NICE = 23n

const MAY_RAISE = hasCapability(CAP_SYS_NICE)

/** Scheduling priority of an executor's process. */
export class Priority {
  readonly #pid: number | undefined
  #mayRaise: boolean
  #isLowered = false

  constructor(pid: number | undefined, mayRaise = MAY_RAISE) {
    this.#pid = pid
    this.#mayRaise = mayRaise
  }

  /** True if the priority was lowered and cannot be raised. */
  get isSpent(): boolean {
    return this.#isLowered && !this.#mayRaise
  }

  /** @param forGood lowers it even if it cannot be raised again */
  lower({ forGood }: { forGood: boolean }): void {
    if (this.#isLowered || !(forGood || this.#mayRaise)) return
    // Set before the attempt, because even if one of several threads has exited, the others are lowered.
    this.#isLowered = true
    this.#set(LOWERED)
  }

  restore(): void {
    if (!this.#isLowered || !this.#mayRaise) return
    // In a user namespace, the kernel refuses despite the capability.
    if (this.#set(USUAL) === 'refused') this.#mayRaise = false
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

/** On Linux, a priority belongs to a thread, and V8 compiles and collects garbage on separate threads. */
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
    // Not Linux.
    return false
  }
}
