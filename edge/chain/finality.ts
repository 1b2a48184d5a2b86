/**
 * When a block is final for a trigger: it is at least this many blocks below the head, or not above the block that
 * the chain itself names (`options.finality`). `latest` is a depth of 0.
 */
export type Finality = number | 'safe' | 'finalized'
