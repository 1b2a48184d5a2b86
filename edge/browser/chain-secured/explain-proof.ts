/**
 * Explains a proof that a wallet is asked to sign. A proof that differs from the one that the client would create is
 * never passed to the wallet.
 */
import {
  type ProofTerms,
  type Purpose,
  PURPOSES,
  termNames,
  typedDataOf,
} from '../../../shared/crypto/typed-data.ts'
import { PROOF_WINDOW_S } from '../../../shared/limits.ts'
import type { Explanation } from './explanation.ts'
import { refusalErrors } from './provider-rpc-error.ts'

const refusalError = refusalErrors('signature')

type ProofRequest = {
  /** Typed data to be signed with `eth_signTypedData_v4`. Untrusted. */
  text: unknown
  address: string
  chainId: bigint
  /** Current time in Unix milliseconds. */
  now: number
}

type PurposeTexts = Pick<Explanation, 'title' | 'summary' | 'undo' | 'isIrreversible'>

const PURPOSE_TEXTS: Record<Purpose, PurposeTexts> = {
  ConvertAccount: {
    title: 'Convert the account to this wallet',
    summary:
      'Allows the service to transfer the account to this wallet, in a transaction that the service sends and pays for. From then on, only this wallet can change the account, and the account key cannot change anything.',
    undo: 'This cannot be undone: neither the service nor the account key can take the account back from the wallet.',
    isIrreversible: true,
  },
  CreateWallet: {
    title: 'Prove wallet ownership to create a wallet',
    summary:
      'Allows the service to derive a new wallet for this account. This does not register the wallet; you will be asked for that transaction next.',
    undo: 'Nothing to undo: nothing changes without the transaction.',
    isIrreversible: false,
  },
  CreatePolicyWallet: {
    title: 'Prove wallet ownership to create a wallet with a policy',
    summary:
      'Allows the service to derive a new wallet that signs only what the policy with this hash allows. This does not register the wallet; you will be asked for that transaction next.',
    undo: 'Nothing to undo: nothing changes without the transaction.',
    isIrreversible: false,
  },
  SetWalletPolicy: {
    title: 'Prove wallet ownership to change the policy of a wallet',
    summary:
      'Allows the service to store the policy with this hash for this wallet. This does not change what the wallet may sign; you will be asked for that transaction next.',
    undo: 'Nothing to undo: nothing changes without the transaction.',
    isIrreversible: false,
  },
  AddUsageApiKey: {
    title: 'Prove wallet ownership to create a usage key',
    summary:
      'Allows the service to create a new usage key for this account. The key does not work until it is registered; you will be asked for that transaction next.',
    undo: 'Nothing to undo: nothing changes without the transaction.',
    isIrreversible: false,
  },
  BillingAuth: {
    title: 'Prove wallet ownership for billing',
    summary:
      'Allows this page to read the balance and charges, start payments, set the spending caps of usage keys, and read the policies of wallets. It permits nothing else and moves no funds.',
    undo: 'It expires automatically.',
    isIrreversible: false,
  },
  SendTransactions: {
    title: 'Prove wallet ownership to send transactions',
    summary:
      'Allows this page to send transactions with the wallets of this account, to speed them up and to cancel them, and to change the limits of their fees. Policies of wallets still apply.',
    undo: 'It expires automatically. A transaction that was mined cannot be undone.',
    isIrreversible: false,
  },
}

/** @throws {ProviderRpcError} unless the text is a proof of this wallet for this chain with a current timestamp */
export function explainProof({ text, address, chainId, now }: ProofRequest): Explanation {
  const proof = parseProof(text)
  const { purpose, issuedAt, terms } = requireKnownPurpose(proof)
  const expected = typedDataOf({ purpose, address, issuedAt, chainId, terms })
  if (!matchesExpected(proof, expected))
    throw refusalError('it is not a proof by this wallet for the chain of this service')
  if (Math.abs(now / 1000 - issuedAt) > PROOF_WINDOW_S)
    throw refusalError('its timestamp is not current')
  const until = new Date((issuedAt + PROOF_WINDOW_S) * 1000)
  return {
    kind: 'proof',
    ...PURPOSE_TEXTS[purpose],
    facts: [
      ['Statement', `${purpose} of ${expected.domain.name}`],
      ['Wallet', address],
      ...termNames(purpose).map((name): [string, string] => [TERM_LABELS[name], terms[name]!]),
      ['Chain', String(chainId)],
      ['Valid until', `${until.toISOString().slice(0, 19).replace('T', ' ')} UTC`],
      ['Cost', 'none: this is a signature, not a transaction'],
    ],
  }
}

const TERM_LABELS: Record<keyof ProofTerms, string> = {
  pkpId: 'Wallet with the policy',
  policyHash: 'Hash of the policy',
}

function requireKnownPurpose(proof: UntrustedProof) {
  const purpose = PURPOSES.find((known) => known === proof?.primaryType)
  const { message } = proof ?? {}
  const issuedAt = message?.issuedAt
  if (purpose === undefined || typeof issuedAt !== 'number')
    throw refusalError('it is not a statement that this page can explain')
  const terms: ProofTerms = {}
  for (const name of termNames(purpose)) {
    const value = message?.[name]
    if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/.test(value))
      throw refusalError(`its ${name} is not 32 bytes in lower-case hex`)
    terms[name] = value
  }
  return { purpose, issuedAt, terms }
}

/** Ignores the order of members, which differs between clients. */
function matchesExpected(proof: UntrustedProof, expected: ReturnType<typeof typedDataOf>): boolean {
  const address = String(proof?.message?.address)
  const isOurs = address.toLowerCase() === expected.message.address.toLowerCase()
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted)
    if (typeof value !== 'object' || value === null) return value
    return Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  }
  const ours = { ...expected, message: { ...expected.message, address } }
  return isOurs && JSON.stringify(sorted(proof)) === JSON.stringify(sorted(ours))
}

type UntrustedProof = {
  primaryType?: unknown
  message?: { address?: unknown; issuedAt?: unknown } & { [Name in keyof ProofTerms]: unknown }
} | null

function parseProof(text: unknown): UntrustedProof {
  if (typeof text !== 'string') throw refusalError('it is not a string')
  try {
    return JSON.parse(text) as UntrustedProof
  } catch {
    throw refusalError('it is not JSON')
  }
}
