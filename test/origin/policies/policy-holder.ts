/** Accounts built by hand that have a wallet with a policy. */
import { computeAddress, id, zeroPadValue } from 'ethers'
import type { Account, AccountWallet } from '../../../origin/accounts/account.ts'
import type { WalletPolicy } from '../../../origin/accounts/wallet-policy.ts'
import { NO_LOCK } from '../../../origin/keys/keyring.ts'
import type { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import type {
  ReservationResult,
  SignatureReservation,
} from '../../../origin/policies/sums/reservation.ts'
import { type Policy, parsePolicy } from '../../../shared/policies/policy.ts'
import { reserveCharges, type SumStates } from '../../../shared/policies/sum-states.ts'
import { PAYROLL } from '../../shared/policies/requests.ts'
import { accountOf, keyring, texts } from '../runs/wallet-holder.ts'

/** Pays up to 100 USDC a day to two addresses, and signs permits for one of them, and greetings. */
export const SPENDING = {
  ...PAYROLL,
  rules: [
    ...PAYROLL.rules,
    {
      name: 'order',
      effect: 'allow',
      kind: 'typed_data',
      chains: [1],
      domains: [{ name: 'Shop', verifying_contract: [PAYROLL.tokens[0]!.address] }],
      types: [{ type: 'Order(uint256 id,address to)' }],
    },
    { name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix: 'greetings ' }] },
  ],
}

export const ORDER = {
  domain: { name: 'Shop', chainId: 1, verifyingContract: PAYROLL.tokens[0]!.address },
  types: {
    Order: [
      { name: 'id', type: 'uint256' },
      { name: 'to', type: 'address' },
    ],
  },
}

export const policyFrom = (document: object): Policy => parsePolicy(JSON.stringify(document))

/** The policy as the contract records it. */
export const recordOf = (
  { hash, document }: Policy,
  changes: Partial<WalletPolicy> = {},
): WalletPolicy => ({
  hash,
  setAt: 1_000,
  changeDelay: document.change_delay_s ?? 0,
  isImmutable: document.immutable ?? false,
  ...changes,
})

export type PolicyHolder = {
  account: Account
  /** EIP-55 address of the policy wallet. */
  address: string
  wallet: AccountWallet
  privateKey: string
}

/** An account whose group 1 has a wallet with a policy at the path `policy`, and these actions. */
export function policyHolder(
  name: string,
  policy: WalletPolicy,
  cids: string[],
  lock = policy.isImmutable ? policy.hash : NO_LOCK,
): PolicyHolder {
  const account = accountOf(name, [], cids)
  const derivationPath = id('policy')
  const privateKey = keyring.policyWalletKey(account.hash, derivationPath, lock)
  const address = computeAddress(privateKey)
  const pkpId = zeroPadValue(address, 32).toLowerCase()
  const wallet = { pkpId, derivationPath, ...texts, policy }
  return { account: withWallet(account, wallet), address, wallet, privateKey }
}

/** Adds the wallet to the account and to its group 1. */
export function withWallet(account: Account, wallet: AccountWallet): Account {
  const group = account.groups.get(1)!
  const pkpIds = new Set([...group.pkpIds, wallet.pkpId])
  return {
    ...account,
    wallets: new Map([...account.wallets, [wallet.pkpId, wallet]]),
    groups: new Map([[1, { ...group, pkpIds }]]),
  }
}

/** Sums in memory. */
export class MemorySums implements Pick<PolicySums, 'reserve' | 'reservedUnder'> {
  readonly #now: () => number
  readonly #states = new Map<string, SumStates>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async reserve({ pkpId, charges }: SignatureReservation): Promise<ReservationResult> {
    const reserved = reserveCharges(this.statesOf(pkpId), charges, this.#now())
    if (reserved.isReserved) this.#states.set(pkpId, reserved.states)
    return reserved
  }

  /** Digests are not stored. */
  async reservedUnder(): Promise<undefined> {}

  statesOf(pkpId: string): SumStates {
    return this.#states.get(pkpId) ?? new Map()
  }

  /** Everything that the wallet has spent, in the units of its sums. */
  spent(pkpId: string): bigint {
    return [...this.statesOf(pkpId).values()]
      .flatMap(({ buckets }) => buckets)
      .reduce((sum, { amount }) => sum + amount, 0n)
  }
}
