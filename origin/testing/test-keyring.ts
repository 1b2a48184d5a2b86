import { createHash } from 'node:crypto'
import { Keyring } from '../keys/keyring.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Everyone can derive the keys of tests. */
export const TEST_KEYRING = new Keyring(sha256('svc test: root key'))

export const TEST_ACCOUNT_HASH = `0x${sha256('svc test: account').toString('hex')}`
