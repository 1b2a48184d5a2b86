/** Parts of reservations for tests of sums. */
import { randomBytes } from 'node:crypto'
import type { Charge } from '../../../shared/policies/charges.ts'

export const POLICY_HASH = `0x${'5a'.repeat(32)}`

export const newWallet = () => `0x${randomBytes(20).toString('hex')}`
export const newDigest = () => `0x${randomBytes(32).toString('hex')}`

export function charge(given: Partial<Charge> = {}): Charge {
  return {
    sum: 'USDC a day',
    key: 'USDC a day/1',
    amount: 1n,
    max: 100n,
    window_s: 3_600,
    ...given,
  }
}
