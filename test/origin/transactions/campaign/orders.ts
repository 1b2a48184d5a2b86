/** Requests of a test to the processes that send transactions. */
import { concat, id, toBeHex } from 'ethers'
import type { TransactionRequest } from '../../../../origin/transactions/types.ts'
import type { TransactionSpeed } from '../../../../shared/wire/transaction-states.ts'
import type { TransactionRecord } from '../../../../shared/wire/transactions.ts'
import type { Random } from '../../credits/simulation/random.ts'
import { CHAIN } from '../engine.ts'
import type { SendingWallet } from './sending-wallets.ts'

/** Receives the payments. Has no code. */
export const PAYEE = `0x${'9'.repeat(40)}`

/** Has code that always reverts. */
export const REVERTING = `0x${'8'.repeat(40)}`
export const REVERTING_CODE = '0x60006000fd'

/** A transaction that a test asks for, any number of times. */
export type Identity = {
  number: number
  wallet: number
  to: string
  speed: TransactionSpeed
  /** True for an action with an idempotency key, false for a step of a run. */
  isKeyed: boolean
}

export type Order =
  | { kind: 'send'; identity: Identity; isAltered?: boolean }
  | { kind: 'cancel' | 'speedUp'; id: string }

export type Reply = { record: TransactionRecord | undefined } | { error: string; name: string }

const STEPS = 3

export function newIdentity(number: number, wallets: number, random: Random): Identity {
  return {
    number,
    wallet: random.integer(0, wallets - 1),
    to: random.chance(0.05) ? REVERTING : PAYEE,
    speed: random.pick(['fast', 'normal', 'cheap']),
    isKeyed: random.chance(0.5),
  }
}

/** The data is different for each identity, so that its effects on the chain can be counted. */
export const dataOf = ({ number }: Identity): string =>
  concat([id('identity').slice(0, 10), toBeHex(number, 32)])

export function requestOf(
  identity: Identity,
  wallets: readonly SendingWallet[],
  isAltered = false,
): TransactionRequest {
  return {
    pkpId: wallets[identity.wallet]!.pkpId,
    chain: CHAIN,
    to: identity.to,
    data: dataOf(identity),
    value: isAltered ? 2n : 1n,
    speed: identity.speed,
  }
}

export function originOf({ number, isKeyed }: Identity) {
  if (isKeyed) return { idempotencyKey: `key ${number}` }
  return { runId: `run ${Math.floor(number / STEPS)}`, step: number % STEPS }
}
