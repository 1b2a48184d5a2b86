import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * Rule that decides when a block is final for a trigger. A number is a depth below the head. A tag means that all
 * blocks up to the one that the chain reports for the tag are final. `latest` in a trigger's `options.finality` is a
 * depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'

/**
 * Returns the finality of a trigger.
 * @param usual default depth in blocks, for triggers that do not set a finality
 */
export function finalityOf(
  { finality }: Pick<TriggerOptions, 'finality'>,
  usual: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? usual)
}
