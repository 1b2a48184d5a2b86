import type { ChainConfig } from '../chain/chain-config.ts'
import { knownLayouts } from '../chain/decoding/known-events.ts'
import { undecidedLayouts } from '../chain/decoding/undecided-layouts.ts'
import { markedSignature } from '../chain/signature/marked-signature.ts'

/** Says what to write instead of a signature without marks, if only marks decide how its logs are decoded. */
export function marksWarnings({
  signature,
  filter,
}: Pick<ChainConfig, 'signature' | 'filter'>): string[] {
  const layouts = undecidedLayouts(signature, filter.topics.length)
  if (layouts.length === 0) return []
  const forms = layouts.map((indexed) => markedSignature(signature, indexed)).join(' or ')
  const problem =
    'event_signature does not say which arguments are indexed, and logs alone may not tell: decode can be "ambiguous".'
  return knownLayouts(signature).length > 0
    ? [`${problem} Published contracts differ. Send the form that yours declares: ${forms}.`]
    : [`${problem} Mark them as the contract declares them, for example ${forms}.`]
}
