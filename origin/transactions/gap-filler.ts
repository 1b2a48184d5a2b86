import type { Fees } from './fees.ts'
import { TRANSFER_GAS } from './lane-context.ts'
import type { LaneState } from './lane-state.ts'
import type { LiveTransaction } from './live-transaction.ts'
import type { SigningResult } from './types.ts'

export type Filler = {
  nonce: number
  /** ID of the transaction that fills the gap. */
  id: string
  /** Fees of the attempt that is replaced. */
  replaced?: Fees
}

/** @property above transaction above the gap that bounds the filler */
export type FillerResult = { result: SigningResult; fees: Fees; above: LiveTransaction }

/**
 * Signs an empty transaction to the wallet itself that fills a gap between nonces. Its gas costs at most as much as that
 * of a transaction above the gap, which cannot be mined without it. The dearest one that the signer accepts counts.
 * @param feesWithin returns the fees below a ceiling, or undefined if they would be too low
 * @returns the first refusal if all are refused; undefined if no transaction above the gap is dear enough
 * @throws if the signer does not respond
 */
export async function signFiller(
  lane: LaneState,
  { nonce, id, replaced }: Filler,
  feesWithin: (ceiling: bigint) => Fees | undefined,
): Promise<FillerResult | undefined> {
  const { signer } = lane.context
  const candidates = lane
    .unmined()
    .filter((one) => one.nonce > nonce && !one.isFiller)
    .map((above) => ({ above, ceiling: gasCost(above) / TRANSFER_GAS }))
    .toSorted((one, other) =>
      one.ceiling === other.ceiling ? 0 : one.ceiling < other.ceiling ? 1 : -1,
    )
  let refused: FillerResult | undefined
  for (const { above, ceiling } of candidates) {
    const fees = feesWithin(ceiling)
    if (!fees) break
    const gap = { nonce, above: above.latestUnsigned, ...(replaced && { replaced }) }
    const result = await signer.fillGap(gap, fees, { ...above.context, id })
    if ('signed' in result) return { result, fees, above }
    refused ??= { result, fees, above }
  }
  return refused
}

/** Maximum cost of its gas, in wei. */
function gasCost({ latestUnsigned: { gasLimit, maxFeePerGas } }: LiveTransaction): bigint {
  return gasLimit * maxFeePerGas
}
