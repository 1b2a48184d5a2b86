import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * Condition under which a block is final for a trigger. A number is a depth below the head. With a tag, all blocks up
 * to the block that the chain reports for the tag are final. `latest` in a trigger's `options.finality` is a depth of
 * 0.
 */
export type Finality = number | 'safe' | 'finalized'

/** @param defaultDepth depth in blocks for triggers that do not set a finality */
export function resolveFinality(
  { finality }: Pick<TriggerOptions, 'finality'>,
  defaultDepth: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? defaultDepth)
}
