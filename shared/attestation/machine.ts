import type { CheckedCollateral } from './collateral.ts'
import { parseEventLog } from './event-log.ts'
import type { Attestation } from './evidence.ts'
import { verifyHardware } from './hardware.ts'
import { measuredApp, type MeasuredApp } from './measured-app.ts'
import type { Measurements, Policy, Tcb } from './policy.ts'
import { parseQuote, type TdxQuote } from './quote.ts'
import { checkReplay } from './replay.ts'
import { check } from './check-failed.ts'

export type Machine = { quote: TdxQuote; app: MeasuredApp; tcb: Tcb }

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
 * Compares two sets of measurements. Ignores RTMR3, which differs between replicas because it includes the instance ID.
 */
export function sameMeasurements(one: Measurements, other: Measurements): boolean {
  return PINNED.every((name) => one[name].toLowerCase() === other[name].toLowerCase())
}

/**
 * Requires that two quotes, which may come from two replicas, are for the same application.
 * @throws {CheckFailedError} if the measurements, the application or the compose hash differ
 */
export function checkSameApp(what: string, one: Machine, other: Machine): void {
  const { measurements } = one.quote
  check(
    sameMeasurements(measurements, other.quote.measurements),
    `${what} is from a different machine`,
  )
  check(one.app.appId === other.app.appId, `${what} is from a different application`)
  check(one.app.composeHash === other.app.composeHash, `${what} has a different compose hash`)
}
