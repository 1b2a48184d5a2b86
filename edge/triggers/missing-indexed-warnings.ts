import type { ChainConfig } from '../chain/chain-config.ts'
import type { ChainEventConfig } from '../chain/chain-event-config.ts'
import { knownLayouts } from '../chain/decoding/known-events.ts'
import { ambiguousLayouts } from '../chain/decoding/ambiguous-layouts.ts'
import { signatureWithIndexed } from '../chain/signature/signature-with-indexed.ts'

/**
 * Returns a warning if logs cannot be decoded reliably because the event signature has no `indexed` keywords. The
 * warning suggests signatures that include them.
 */
export function missingIndexedWarnings(
  config: Pick<ChainEventConfig, 'signature' | 'filter'> | Pick<ChainConfig, 'filter'>,
): string[] {
  if (!('signature' in config)) return []
  const { signature, filter } = config
  const layouts = ambiguousLayouts(signature, filter.topics.length)
  if (layouts.length === 0) return []
  const forms = layouts.map((indexed) => signatureWithIndexed(signature, indexed)).join(' or ')
  const problem =
    'event_signature does not mark the indexed arguments, and they cannot always be inferred from logs: decode can be "ambiguous".'
  return knownLayouts(signature).length > 0
    ? [
        `${problem} Published contracts differ. Send the form that your contract declares: ${forms}.`,
      ]
    : [`${problem} Mark them as the contract declares them, for example ${forms}.`]
}
