import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * Rule for when a block is final for a trigger: at this depth below the head, or at or below the block that the chain
 * reports for this tag. `latest` in `options.finality` is a depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'

/** @param usual depth in blocks for triggers that do not set a finality */
export function finalityOf(
  { finality }: Pick<TriggerOptions, 'finality'>,
  usual: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? usual)
}
