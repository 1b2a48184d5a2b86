import { parseEventLog } from '../../../shared/attestation/event-log.ts'
import { type MeasuredApp, measuredApp } from '../../../shared/attestation/measured-app.ts'
import { parseQuote } from '../../../shared/attestation/quote.ts'
import { checkReplay } from '../../../shared/attestation/replay.ts'
import {
  type Attestation,
  type Info,
  REPORT_DATA_BYTES,
  TeeMismatchError,
  type TeeProvider,
} from '../provider.ts'

/**
 * Checks at startup that the quote matches the app ID and compose hash that the guest agent reports. If they did not
 * match, every verifier would reject the machine.
 * @throws {TeeMismatchError | TeeUnavailableError}
 */
export async function requireMatchingQuote(tee: TeeProvider, info: Info): Promise<void> {
  const { appId, composeHash } = readMeasuredApp(await tee.quote(new Uint8Array(REPORT_DATA_BYTES)))
  const same = (one: string, other: string) =>
    one.replace(/^0x/, '').toLowerCase() === other.replace(/^0x/, '').toLowerCase()
  if (!same(appId, info.app_id))
    throw new TeeMismatchError('the app ID of the guest agent does not match the measured one')
  if (!same(composeHash, info.compose_hash))
    throw new TeeMismatchError(
      'the compose hash of the guest agent does not match the measured one',
    )
}

function readMeasuredApp({ quote, event_log }: Attestation): MeasuredApp {
  try {
    const events = parseEventLog(event_log)
    checkReplay(events, parseQuote(quote))
    return measuredApp(events)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    throw new TeeMismatchError(`the quote of this machine is not valid: ${reason}`)
  }
}
