import { describe, expect, it } from 'vitest'
import {
  InvalidReceiptChainError,
  verifyReceiptChain,
} from '../../shared/receipts/receipt-chain.ts'
import {
  chainOf,
  headerFor,
  jwsOf,
  newReceiptKey,
  OTHER_ACCOUNT,
  payloadOf,
  signerWith,
  SUCCESS,
  verifierOf,
} from './receipts.ts'

const KEY = newReceiptKey()
const verified = async (texts: string[]) => verifyReceiptChain(texts, await verifierOf(KEY))
const newChain = (length = 4) => chainOf(signerWith(KEY), length)

/** @returns the index and the flaw of the rejected receipt */
async function refusalOf(texts: string[]): Promise<[number, string]> {
  const refused = await verified(texts).then(
    () => new Error('it was believed'),
    (error: unknown) => error,
  )
  if (refused instanceof InvalidReceiptChainError) return [refused.at, refused.flaw]
  throw refused
}

describe('a chain of receipts', () => {
  it('is valid from its first receipt', async () => {
    const receipts = await verified(newChain())
    expect(receipts.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  })

  it('is valid from a later receipt, and reports which', async () => {
    const receipts = await verified(newChain().slice(1))
    expect(receipts[0]!.sequence).toBe(2)
  })

  it('is empty without receipts', async () => {
    expect(await verified([])).toEqual([])
  })
})

describe('a chain is rejected', () => {
  it('omission: a missing receipt between two others', async () => {
    const [a, b, , d] = newChain() as [string, string, string, string]
    expect(await refusalOf([a, b, d])).toEqual([2, 'gap'])
  })

  it('reordered: two receipts exchanged', async () => {
    const [a, b, c] = newChain() as [string, string, string]
    expect(await refusalOf([b, a, c])).toEqual([1, 'not_in_order'])
  })

  it('padded: a repeated receipt', async () => {
    const [a, b] = newChain() as [string, string]
    expect(await refusalOf([a, b, b])).toEqual([2, 'repeated'])
  })

  it('forked: two receipts that follow the same one', async () => {
    const [a, b] = newChain() as [string, string]
    const other = jwsOf(KEY, headerFor(KEY), { ...payloadOf(b), charged_cents: 7 })
    expect(await refusalOf([a, b, other])).toEqual([2, 'fork'])
  })

  it('forked: a receipt that follows another history', async () => {
    const [a, b, c] = newChain() as [string, string, string]
    const other = jwsOf(KEY, headerFor(KEY), { ...payloadOf(b), charged_cents: 7 })
    expect(await refusalOf([a, other, c])).toEqual([2, 'fork'])
  })

  it('spliced: the chain of another account', async () => {
    const sign = signerWith(KEY)
    const other = sign(SUCCESS, { account: OTHER_ACCOUNT })
    expect(await refusalOf([sign(), other])).toEqual([1, 'other_account'])
  })

  it('spliced: the chain of another process', async () => {
    const [a] = newChain()
    const [, b] = newChain()
    expect(await refusalOf([a!, b!])).toEqual([1, 'other_series'])
  })

  it('spliced: a receipt under another key', async () => {
    const [a] = newChain()
    const [, b] = chainOf(signerWith(newReceiptKey()), 2)
    expect(await refusalOf([a!, b!])).toEqual([1, 'other_key'])
  })

  it('altered: one receipt in the middle', async () => {
    const [a, b, c] = newChain() as [string, string, string]
    const [header, , signature] = b.split('.')
    const forged = [header, c.split('.')[1], signature].join('.')
    expect(await refusalOf([a, forged, c])).toEqual([1, 'signature'])
  })
})
