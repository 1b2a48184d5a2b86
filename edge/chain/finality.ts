import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * A number is a depth below the head. With a tag, all blocks up to the one that the chain reports for it are final.
 * `latest` in a trigger's `options.finality` is a depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'

/** @param usual default depth in blocks, for triggers that do not set a finality */
export function finalityOf(
  { finality }: Pick<TriggerOptions, 'finality'>,
  usual: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? usual)
}
