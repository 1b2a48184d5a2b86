/**
 * Explains a proof before it is signed. A proof that differs in any way from the one the client would build never
 * reaches the wallet.
 */
import { type Purpose, PURPOSES, typedDataOf } from '../../../shared/typed-data.ts'
import { PROOF_WINDOW_S } from '../../../shared/limits.ts'
import type { Explanation } from './explanation.ts'
import { RpcError, UNSUPPORTED } from './rpc-error.ts'

type Asked = {
  /** The typed data passed to `eth_signTypedData_v4`. */
  text: unknown
  address: string
  chainId: bigint
  /** Unix milliseconds. */
  now: number
}

type Words = Pick<Explanation, 'title' | 'says' | 'undo' | 'forEver'>

const PURPOSES_IN_WORDS: Record<Purpose, Words> = {
  ConvertAccount: {
    title: 'Convert the account to this wallet',
    says: 'Lets the service hand the account to this wallet, in a transaction that the service sends and pays. From then on this wallet alone changes the account, and the account key changes nothing.',
    undo: 'There is no way back: neither the service nor the account key can take the account from the wallet.',
    forEver: true,
  },
  CreateWallet: {
    title: 'Prove your wallet, for a new wallet',
    says: 'Lets the service derive a new wallet for this account. Nothing is registered by it: the transaction that does so is asked for next.',
    undo: 'Nothing has to be undone: without the transaction nothing has happened.',
    forEver: false,
  },
  AddUsageApiKey: {
    title: 'Prove your wallet, for a new usage key',
    says: 'Lets the service make a new usage key for this account. The key is worth nothing before it is registered: the transaction that does so is asked for next.',
    undo: 'Nothing has to be undone: without the transaction nothing has happened.',
    forEver: false,
  },
  BillingAuth: {
    title: 'Prove your wallet, for billing',
    says: 'Lets this page read the balance and what was spent, begin payments, and set the spending caps of usage keys. It permits nothing else, and moves no funds.',
    undo: 'It ends by itself.',
    forEver: false,
  },
}

/** @throws {RpcError} unless it is a proof of this wallet for this chain, with a current timestamp */
export function explainedProof({ text, address, chainId, now }: Asked): Explanation {
  const { purpose, issuedAt } = proofIn(text)
  const expected = typedDataOf({ purpose, address, issuedAt, chainId })
  if (!isSame(text, expected))
    throw refusal('it is not a proof of this wallet for this service’s chain')
  if (Math.abs(now / 1000 - issuedAt) > PROOF_WINDOW_S)
    throw refusal('it is dated for another time than now')
  const until = new Date((issuedAt + PROOF_WINDOW_S) * 1000)
  return {
    kind: 'proof',
    ...PURPOSES_IN_WORDS[purpose],
    facts: [
      ['Statement', `${purpose} of ${expected.domain.name}`],
      ['Wallet', address],
      ['Chain', String(chainId)],
      ['Good until', `${until.toISOString().slice(0, 19).replace('T', ' ')} UTC`],
      ['Costs', 'nothing: it is a signature, and no transaction'],
    ],
  }
}

function proofIn(text: unknown): { purpose: Purpose; issuedAt: number } {
  const read = parsed(text)
  const purpose = PURPOSES.find((known) => known === read?.primaryType)
  const issuedAt = read?.message?.issuedAt
  if (purpose === undefined || typeof issuedAt !== 'number')
    throw refusal('it is no statement that this page can explain')
  return { purpose, issuedAt }
}

/** Compares by content, because wallets and clients may order the members differently. */
function isSame(text: unknown, expected: ReturnType<typeof typedDataOf>): boolean {
  const read = parsed(text)
  const address = String(read?.message?.address)
  const isOurs = address.toLowerCase() === expected.message.address.toLowerCase()
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted)
    if (typeof value !== 'object' || value === null) return value
    return Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  }
  const ours = { ...expected, message: { ...expected.message, address } }
  return isOurs && JSON.stringify(sorted(read)) === JSON.stringify(sorted(ours))
}

/** Untrusted input: any member may be missing or of any type. */
type Read = { primaryType?: unknown; message?: { address?: unknown; issuedAt?: unknown } } | null

function parsed(text: unknown): Read {
  if (typeof text !== 'string') throw refusal('it is no text')
  try {
    return JSON.parse(text) as Read
  } catch {
    throw refusal('it is no JSON')
  }
}

const refusal = (why: string) =>
  new RpcError(UNSUPPORTED, `this page refuses to have it signed: ${why}`)
