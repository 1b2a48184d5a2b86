import type { ChainEventConfig } from '../../chain/chain-event-config.ts'
import type { ChainEvent } from '../../chain/decoding/chain-event.ts'
import type { EventSignature } from '../../chain/signature/event-signature.ts'
import { signatureWithIndexed } from '../../chain/signature/signature-with-indexed.ts'
import { missingIndexedWarnings } from '../missing-indexed-warnings.ts'
import type { Watcher } from '../../chain/watch/watcher.ts'

type Contract = Awaited<ReturnType<Watcher['contractAt']>>

const FORMS_MAX = 3

const FACTORY_WARNING =
  'No contract that the factory created in the blocks that were searched emitted this event. A preview does not know contracts that were created before.'

/** @param contract the contract at the configured address, provided only if no log was found */
export function chainPreviewWarnings(
  config: ChainEventConfig,
  events: readonly ChainEvent[],
  contract: Contract | undefined,
): string[] {
  const { chain, signature, filter } = config
  if (contract?.state === 'known' && !contract.hasCode)
    return [`No contract exists at this address on ${chain}: check contract_address and chain.`]
  if (events.length > 0) return decodingWarnings(events, signature)
  const seen = contract?.state === 'known' ? (contract.events ?? []) : []
  if (filter.factory) return [FACTORY_WARNING, ...missingIndexedWarnings(config)]
  const wrong = eventWarnings(seen, filter, signature)
  return wrong.length > 0 ? wrong : missingIndexedWarnings(config)
}

function eventWarnings(
  seen: readonly string[],
  { topic0, where }: ChainEventConfig['filter'],
  { canonical }: EventSignature,
) {
  if (seen.includes(topic0)) {
    const filters = where === undefined ? 'topic_filters' : 'topic_filters and where'
    return [`The contract has emitted ${canonical}, but no log matches ${filters}: check them.`]
  }
  if (seen.length > 0)
    return [
      `The contract emits events, but no ${canonical} in the blocks that were searched: check event_signature. A proxy emits the events of its implementation.`,
    ]
  return []
}

function decodingWarnings(events: readonly ChainEvent[], signature: EventSignature): string[] {
  const raw = events.find((event) => event.decode === 'raw')
  if (raw)
    return [
      `Logs of this event do not match event_signature (${raw.decode_error ?? 'raw'}): decoded would be null.`,
    ]
  const ambiguous = events.find((event) => event.decode === 'ambiguous')
  if (ambiguous) {
    const forms = (ambiguous.readings ?? [])
      .slice(0, FORMS_MAX)
      .map(({ indexed }) => signatureWithIndexed(signature, indexed))
    return [
      `Logs of this event can be decoded in more than one way: decode is "ambiguous", and readings lists all of them. Send the form that the contract declares, such as ${forms.join(' or ')}.`,
    ]
  }
  const inferred = events.find((event) => event.decode === 'inferred')
  if (inferred?.indexed)
    return [
      `The indexed arguments were inferred from the values. Mark them in event_signature to be certain: ${signatureWithIndexed(signature, inferred.indexed)}.`,
    ]
  return []
}
