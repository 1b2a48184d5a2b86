import type { CheckedCollateral } from './collateral.ts'
import { parseEventLog } from './event-log.ts'
import type { Attestation } from './evidence.ts'
import { type PlatformTcb, verifyHardware } from './hardware.ts'
import { measuredApp, type MeasuredApp } from './measured-app.ts'
import type { Measurements, Policy } from './policy.ts'
import { parseQuote, type TdxQuote } from './quote.ts'
import { checkReplay } from './replay.ts'
import { check } from './check-failed.ts'

/** Facts about a machine that its quote proves. */
export type Machine = { quote: TdxQuote; app: MeasuredApp; tcb: PlatformTcb }

/**
 * Verifies the quote's signatures, and that the event log replays to its registers.
 * @throws {CheckFailed}
 */
export async function verifyMachine(
  { quote: hex, event_log }: Pick<Attestation, 'quote' | 'event_log'>,
  collateral: CheckedCollateral,
  { statuses }: Pick<Policy, 'statuses'>,
  at: Date,
): Promise<Machine> {
  const quote = parseQuote(hex)
  const tcb = await verifyHardware(quote, collateral, statuses, at)
  const events = parseEventLog(event_log)
  checkReplay(events, quote)
  return { quote, tcb, app: measuredApp(events) }
}

const PINNED = ['mrtd', 'rtmr0', 'rtmr1', 'rtmr2'] as const satisfies (keyof Measurements)[]

/**
 * Compares the firmware and everything loaded before the application. Ignores RTMR3, which differs between replicas
 * because it includes the instance ID.
 */
export function sameMeasurements(one: Measurements, other: Measurements): boolean {
  return PINNED.every((name) => one[name].toLowerCase() === other[name].toLowerCase())
}

/**
 * Checks that two quotes are of the same application on the same kind of machine. They may come from two replicas.
 * @throws {CheckFailed}
 */
export function checkSameApp(what: string, one: Machine, other: Machine): void {
  const { measurements } = one.quote
  check(sameMeasurements(measurements, other.quote.measurements), `${what} is of another machine`)
  check(one.app.appId === other.app.appId, `${what} is of another application`)
  check(one.app.composeHash === other.app.composeHash, `${what} is of another compose hash`)
}
