/** Range of a campaign that one process plays. */
export type Bounds = { first: number; count: number }

/**
 * Reads the range from the environment: `SVC_COUNT` seeds, kills, runs or minutes from `SVC_SEED` on; only that one if
 * `SVC_COUNT` is not set.
 * @param usual used if neither is set
 */
export function boundsOr(usual: Bounds): Bounds {
  const { SVC_SEED: first, SVC_COUNT: count } = process.env
  return {
    first: Number(first ?? usual.first),
    count: Number(count ?? (first === undefined ? usual.count : 1)),
  }
}
