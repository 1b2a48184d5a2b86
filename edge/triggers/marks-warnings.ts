import type { ChainConfig } from '../chain/chain-config.ts'
import { knownLayouts } from '../chain/decoding/known-events.ts'
import { undecidedLayouts } from '../chain/decoding/undecided-layouts.ts'
import { markedSignature } from '../chain/signature/marked-signature.ts'

/**
 * Warns if the logs cannot be decoded reliably, because the event signature has no `indexed` keywords. Suggests
 * signatures that include them.
 */
export function marksWarnings({
  signature,
  filter,
}: Pick<ChainConfig, 'signature' | 'filter'>): string[] {
  const layouts = undecidedLayouts(signature, filter.topics.length)
  if (layouts.length === 0) return []
  const forms = layouts.map((indexed) => markedSignature(signature, indexed)).join(' or ')
  const problem =
    'event_signature does not mark the indexed arguments, and they cannot always be inferred from logs: decode can be "ambiguous".'
  return knownLayouts(signature).length > 0
    ? [
        `${problem} Published contracts differ. Send the form that your contract declares: ${forms}.`,
      ]
    : [`${problem} Mark them as the contract declares them, for example ${forms}.`]
}
