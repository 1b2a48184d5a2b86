import { encodeHex } from '../encoding/hex.ts'
import { check } from './check-failed.ts'
import { sha384Of } from './digests.ts'
import type { MeasuredEvent } from './event-log.ts'
import type { TdxQuote } from './quote.ts'

const RTMR_BYTES = 48
const RTMRS = ['rtmr0', 'rtmr1', 'rtmr2', 'rtmr3'] as const

/**
 * Computes a register's value, in hex, from the events that extended the register (Intel TDX Module,
 * TDG.MR.RTMR.EXTEND).
 */
export function replayRegister(events: readonly MeasuredEvent[], imr: number): string {
  let register: Uint8Array = new Uint8Array(RTMR_BYTES)
  for (const event of events) {
    if (event.imr !== imr) continue
    const extended = new Uint8Array(RTMR_BYTES)
    extended.set(event.digest)
    register = sha384Of(register, extended)
  }
  return encodeHex(register)
}

/** Requires that replaying the event log yields the quote's registers. @throws {CheckFailedError} */
export function checkReplay(events: readonly MeasuredEvent[], quote: TdxQuote): void {
  RTMRS.forEach((name, imr) =>
    check(
      replayRegister(events, imr) === quote.measurements[name],
      `the event log does not replay to the quote's ${name.toUpperCase()}`,
    ),
  )
}
