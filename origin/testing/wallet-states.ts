import type { Policy } from '../../shared/policies/policy.ts'
import type { AccountWallet } from '../accounts/account.ts'
import { TestSetupError } from './test-setup-error.ts'
import type { TestWallet } from './types.ts'

type TestWalletState = { wallet: AccountWallet; policy?: Policy }

const states = new WeakMap<TestWallet, TestWalletState>()

export function setState(wallet: TestWallet, state: TestWalletState): void {
  states.set(wallet, state)
}

/** @throws {TestSetupError} if the value was not made by `testWallet` */
export function stateOf(wallet: TestWallet, path: string): TestWalletState {
  const state = states.get(wallet)
  if (state) return state
  throw new TestSetupError(`${path}: expected a wallet that testWallet('name') returned`)
}
