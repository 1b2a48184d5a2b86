import type { TriggerOptions } from '../../shared/wire/trigger.ts'

/**
 * When a block is final for a trigger: it is at least this many blocks below the head, or not above the block that
 * the chain itself names (`options.finality`). `latest` is a depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'

/** @param usual blocks below the head, where the owner does not say (`decisions.md`, Chain config) */
export function finalityOf(
  { finality }: Pick<TriggerOptions, 'finality'>,
  usual: number,
): Finality {
  return finality === 'latest' ? 0 : (finality ?? usual)
}
