/** What looks wrong in a preview of a chain event, in words for its owner. */
import type { ChainConfig } from '../../chain/chain-config.ts'
import type { ChainEvent } from '../../chain/decoding/event-of-log.ts'
import type { EventSignature } from '../../chain/signature/event-signature.ts'
import type { Watcher } from '../../chain/watch/watcher.ts'

type Contract = Awaited<ReturnType<Watcher['contractAt']>>

/**
 * @param events that were found
 * @param contract what is at the address, where none was
 */
export function warningsOf(
  { chain, signature, filter }: ChainConfig,
  events: readonly ChainEvent[],
  contract: Contract | undefined,
): string[] {
  if (contract?.state === 'known' && !contract.hasCode)
    return [
      `There is no contract at this address on ${chain}: check contract_address, and the chain.`,
    ]
  if (contract?.state === 'known')
    return wrongEvent(contract.events ?? [], filter.topic0, signature)
  return wrongDecoding(events, signature)
}

function wrongEvent(seen: readonly string[], topic0: string, { canonical }: EventSignature) {
  if (seen.includes(topic0))
    return [
      `The contract has told of ${canonical}, and never as topic_filters want it: check them.`,
    ]
  if (seen.length > 0)
    return [
      `The contract tells of events, and of no ${canonical} in the blocks that were searched: check event_signature. A proxy's events are those of its implementation.`,
    ]
  return []
}

function wrongDecoding(events: readonly ChainEvent[], signature: EventSignature): string[] {
  const raw = events.find(({ decode }) => decode === 'raw')
  if (raw)
    return [
      `Logs of this event do not fit event_signature (${raw.decode_error ?? 'raw'}): decoded would be null.`,
    ]
  const inferred = events.find(({ decode }) => decode === 'inferred')
  if (inferred?.indexed)
    return [
      `Which arguments are indexed was inferred from the values. Mark them in event_signature to be certain; as it looks: ${marked(signature, inferred.indexed)}.`,
    ]
  return []
}

/** The signature with the marks that the decoder has inferred. */
function marked({ name, inputs }: EventSignature, indexed: readonly number[]): string {
  const texts = inputs.map((input, at) =>
    [
      input.canonical,
      ...(indexed.includes(at) ? ['indexed'] : []),
      ...(input.name ? [input.name] : []),
    ].join(' '),
  )
  return `${name}(${texts.join(', ')})`
}
