/** @param failures number of consecutive failures before the last one */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs)
}

/**
 * Shortens a delay at random, to avoid a thundering herd.
 * @param random in [0, 1)
 * @param least share of the delay that always remains
 */
export function withJitter(ms: number, random: number, least = 0.5): number {
  return ms * (least + random * (1 - least))
}
