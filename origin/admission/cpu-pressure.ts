import { readFile } from 'node:fs/promises'

/**
 * Linux file with pressure stall information (docs.kernel.org/accounting/psi.html). The file is missing on other
 * systems and with some kernels.
 */
const PRESSURE_FILE = '/proc/pressure/cpu'

/**
 * CPU pressure above which requests are shed: the percentage of the last ten seconds in which at least one task waited
 * for a CPU. Two cores with three runnable tasks have a pressure of 50 to 80, which is merely busy. A constant value
 * above 90 means many times more work than capacity.
 */
export const SHED_PRESSURE_PERCENT = 90

/** Interval between measurements, because the kernel updates its average every two seconds. */
const INTERVAL_MS = 2_000

export class CpuPressure {
  readonly #maxPercent: number
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  #percent: number | undefined

  /** @param maxPercent pressure above which `isHigh` is true; 100 disables the check */
  constructor(maxPercent: number, path = PRESSURE_FILE) {
    this.#maxPercent = maxPercent
    this.#path = path
    this.#timer = setInterval(() => void this.measure(), INTERVAL_MS).unref()
    void this.measure()
  }

  /** Average CPU pressure of the last ten seconds. Undefined if the system does not report it. */
  get percent(): number | undefined {
    return this.#percent
  }

  get isHigh(): boolean {
    return this.#percent !== undefined && this.#percent > this.#maxPercent
  }

  async measure(): Promise<void> {
    try {
      // Example of a line in the file: `some avg10=0.61 avg60=1.00 avg300=2.01 total=5134518680`.
      const found = /^some avg10=([0-9.]+) /m.exec(await readFile(this.#path, 'utf8'))
      this.#percent = found ? Number(found[1]) : undefined
    } catch {
      this.#percent = undefined
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
