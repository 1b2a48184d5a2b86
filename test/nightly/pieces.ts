/** Divides campaigns into pieces, and finds those left to play. */
import type { Bounds } from './bounds.ts'
import { type Campaign, campaignOf, commandOf } from './campaigns.ts'

export type Piece = Bounds & { campaign: string }

type Plan = Pick<Campaign, 'name' | 'planned' | 'perPiece'>

/** All pieces of a campaign, in order. The last one may be smaller. */
export function cut({ name, planned, perPiece }: Plan): Piece[] {
  return Array.from({ length: Math.ceil(planned / perPiece) }, (_, index) => ({
    campaign: name,
    first: index * perPiece + 1,
    count: Math.min(perPiece, planned - index * perPiece),
  }))
}

/** Union of ranges, in order and without overlaps. */
export function union(ranges: readonly Bounds[]): Bounds[] {
  const merged: Bounds[] = []
  for (const { first, count } of ranges.toSorted((a, b) => a.first - b.first)) {
    const last = merged.at(-1)
    if (last && first <= last.first + last.count)
      last.count = Math.max(last.count, first + count - last.first)
    else merged.push({ first, count })
  }
  return merged
}

/** True if the union of other ranges covers a range. Passed pieces may have had other sizes. */
export function isWithin({ first, count }: Bounds, ranges: readonly Bounds[]): boolean {
  return union(ranges).some(
    (range) => range.first <= first && first + count <= range.first + range.count,
  )
}

/** One of several checkouts that share a campaign. It plays every `of`-th piece, starting at `index`. */
export type Shard = { index: number; of: number }

/** Pieces that have not passed yet. */
export function leftOf(plan: Plan, passed: readonly Piece[], shard?: Shard): Piece[] {
  const { index, of } = shard ?? { index: 0, of: 1 }
  const ranges = passed.filter(({ campaign }) => campaign === plan.name)
  return cut(plan).filter((piece, place) => place % of === index && !isWithin(piece, ranges))
}

/** Commands that replay a failed piece: one per failed seed, or one for the whole piece if there are none. */
export function replaysOf(piece: Piece & { failedSeeds?: readonly number[] }): string[] {
  const command = commandOf(campaignOf(piece.campaign))
  const { failedSeeds = [], first, count } = piece
  if (failedSeeds.length > 0) return failedSeeds.map((seed) => `SVC_SEED=${seed} ${command}`)
  return [`SVC_SEED=${first} SVC_COUNT=${count} ${command}`]
}

/** Name of a piece, such as `money 251–500`. */
export function nameOf({ campaign, first, count }: Piece): string {
  return `${campaign} ${first}${count > 1 ? `–${first + count - 1}` : ''}`
}
