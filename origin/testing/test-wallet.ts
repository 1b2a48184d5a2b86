import { createHash } from 'node:crypto'
import { type Policy, parsePolicy } from '../../shared/policies/policy.ts'
import type { AccountWallet } from '../accounts/account.ts'
import { addressFromPrivateKey, Keyring, NO_LOCK } from '../keys/keyring.ts'
import { TestSetupError } from './test-setup-error.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Everyone can derive the keys of tests. */
export const TEST_KEYRING = new Keyring(sha256('svc test: root key'))
export const TEST_ACCOUNT_HASH = `0x${sha256('svc test: account').toString('hex')}`

/** A wallet with a throwaway key, which depends only on the wallet's name and whether it has a policy. */
export type TestWallet = {
  readonly name: string
  /** EIP-55 address. */
  readonly address: string
  /** Wallet ID: the address padded to 32 bytes, in lower-case 0x hex. */
  readonly pkpId: string
  /** 0x hex of 32 bytes. Anyone can derive it from the name: never send funds to a test wallet. */
  readonly privateKey: string
}

type TestWalletState = { wallet: AccountWallet; policy?: Policy }

const states = new WeakMap<TestWallet, TestWalletState>()

/**
 * Returns a wallet for tests. The same name always gives the same key.
 * @param options.policy policy document of the wallet (docs/policies.md)
 * @throws {PolicyError} with the path of each problem
 * @example
 * const treasury = testWallet('treasury')
 * await runAction('src/action.ts', { params: { wallet: treasury.address }, wallets: { treasury } })
 */
export function testWallet(name: string, options: { policy?: object } = {}): TestWallet {
  if (typeof name !== 'string' || name === '')
    throw new TestSetupError('testWallet: expected a name')
  const derivationPath = `0x${sha256(`svc test: wallet ${name}`).toString('hex')}`
  const policy = options.policy && parsePolicy(JSON.stringify(options.policy))
  const { change_delay_s: changeDelay = 0, immutable } = policy?.document ?? {}
  const isImmutable = immutable ?? false
  const privateKey = policy
    ? TEST_KEYRING.policyWalletKey(
        TEST_ACCOUNT_HASH,
        derivationPath,
        isImmutable ? policy.hash : NO_LOCK,
      )
    : TEST_KEYRING.walletKey(TEST_ACCOUNT_HASH, derivationPath)
  const address = addressFromPrivateKey(privateKey)
  const pkpId = `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`
  const made = Object.freeze({ name, address, pkpId, privateKey })
  const held = policy && { hash: policy.hash, changeDelay, isImmutable, setAt: 0 }
  states.set(made, {
    wallet: { pkpId, derivationPath, name, description: '', ...(held && { policy: held }) },
    ...(policy && { policy }),
  })
  return made
}

/** @throws {TestSetupError} if the value was not made by `testWallet` */
export function stateOf(wallet: TestWallet, path: string): TestWalletState {
  const state = states.get(wallet)
  if (state) return state
  throw new TestSetupError(`${path}: expected a wallet that testWallet('name') returned`)
}
