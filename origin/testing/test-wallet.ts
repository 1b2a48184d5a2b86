import { parsePolicy } from '../../shared/policies/policy.ts'
import { addressFromPrivateKey, NO_LOCK } from '../keys/keyring.ts'
import { sha256, TEST_ACCOUNT_HASH, TEST_KEYRING } from './test-keyring.ts'
import { TestSetupError } from './test-setup-error.ts'
import type { TestWallet } from './types.ts'
import { setState } from './wallet-states.ts'

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
  setState(made, {
    wallet: { pkpId, derivationPath, name, description: '', ...(held && { policy: held }) },
    ...(policy && { policy }),
  })
  return made
}
