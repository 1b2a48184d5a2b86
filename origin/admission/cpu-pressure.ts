import { readFile } from 'node:fs/promises'

/** Linux's pressure stall information (docs.kernel.org/accounting/psi.html); absent on other systems, and in some kernels. */
export const PRESSURE_FILE = '/proc/pressure/cpu'

/**
 * The share of the last ten seconds, in percent, in which something had to wait for a processor. Two cores with three
 * things to do are at 50 to 80: that is a busy machine. Always above 90 is one that has many times what it can do.
 */
export const SHED_PRESSURE_PERCENT = 90

/** The kernel's own average moves every two seconds. */
const INTERVAL_MS = 2_000

/** How much work waits for the processors of the machine, of whatever process. */
export class CpuPressure {
  readonly #maxPercent: number
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  #percent: number | undefined

  /** @param maxPercent above it the pressure is high; 100 for never */
  constructor(maxPercent: number, path = PRESSURE_FILE) {
    this.#maxPercent = maxPercent
    this.#path = path
    this.#timer = setInterval(() => void this.measure(), INTERVAL_MS).unref()
    void this.measure()
  }

  /** Of the last ten seconds; `undefined` where the system does not tell. */
  get percent(): number | undefined {
    return this.#percent
  }

  get isHigh(): boolean {
    return this.#percent !== undefined && this.#percent > this.#maxPercent
  }

  async measure(): Promise<void> {
    try {
      this.#percent = somePercent(await readFile(this.#path, 'utf8'))
    } catch {
      this.#percent = undefined
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/** `some avg10=0.61 avg60=1.00 avg300=2.01 total=5134518680` */
function somePercent(text: string): number | undefined {
  const found = /^some avg10=([0-9.]+) /m.exec(text)
  return found ? Number(found[1]) : undefined
}
