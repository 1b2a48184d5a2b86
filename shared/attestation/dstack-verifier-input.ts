import { withDigests } from './event-log.ts'
import type { Attestation } from './evidence.ts'

/**
 * Builds the input for dstack's official verifier, which also recomputes the measurements of the operating system.
 * @throws {CheckFailedError} if a digest in the event log does not match its event
 */
export function dstackVerifierInput({ quote, event_log, vm_config }: Attestation) {
  return {
    quote: quote.replace(/^0x/, ''),
    event_log: withDigests(event_log),
    vm_config,
    attestation: null,
  }
}
