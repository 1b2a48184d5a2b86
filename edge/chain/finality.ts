import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * A number is a depth below the head. With a tag, all blocks up to the one that the chain reports for it are final.
 * `latest` in a trigger's `options.finality` is a depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'

/** @param defaultDepth default depth in blocks, for triggers that do not set a finality */
export function resolveFinality(
  { finality }: Pick<TriggerOptions, 'finality'>,
  defaultDepth: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? defaultDepth)
}
