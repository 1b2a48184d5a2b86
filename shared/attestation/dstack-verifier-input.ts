import { withDigests } from './event-log.ts'
import type { Attestation } from './evidence.ts'

/**
 * What the official verifier is asked with, which also recomputes the measurements of the operating system
 * (specification, verification rule 1).
 * @throws {CheckFailed} for a log whose digests are not its events'
 */
export function dstackVerifierInput({ quote, event_log, vm_config }: Attestation) {
  return {
    quote: quote.replace(/^0x/, ''),
    event_log: withDigests(event_log),
    vm_config,
    attestation: null,
  }
}
