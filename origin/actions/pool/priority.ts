import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** What this process has, and so its children at first. */
const USUAL = getPriority()

/** About a tenth of a core where something usual wants the rest, and all of it where nothing does; 19 is the lowest. */
const LOWERED = Math.min(19, USUAL + 10)

/** The capability without which a priority can only be lowered (capabilities(7), CAP_SYS_NICE). */
const CAP_SYS_NICE = 23n

const MAY_RAISE = hasCapability(CAP_SYS_NICE)

/** The priority of one executor's process among the machine's. */
export class Priority {
  readonly #pid: number | undefined
  #mayRaise: boolean
  #isLowered = false

  constructor(pid: number | undefined, mayRaise = MAY_RAISE) {
    this.#pid = pid
    this.#mayRaise = mayRaise
  }

  /** It is lowered, and stays so. */
  get isSpent(): boolean {
    return this.#isLowered && !this.#mayRaise
  }

  /** @param forGood even where it can not be raised again */
  lower({ forGood }: { forGood: boolean }): void {
    if (this.#isLowered || !(forGood || this.#mayRaise)) return
    // Before it is tried: of several threads one may be gone, and the others are lowered.
    this.#isLowered = true
    this.#set(LOWERED)
  }

  restore(): void {
    if (!this.#isLowered || !this.#mayRaise) return
    // In a user namespace the kernel refuses what the capability promises.
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
        // Otherwise it has just ended.
        const { code } = (error as { info?: { code?: string } }).info ?? {}
        if (code === 'EACCES' || code === 'EPERM') refused = 'refused'
      }
    }
    return refused
  }
}

/** On Linux a priority is a thread's, and V8 compiles and collects on threads of its own. */
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
