import { describe } from 'vitest'
import { installed } from './chromium.ts'
import { Walks } from './walks.ts'
import { consoleWalks } from './walks/console.ts'
import { ownershipWalks } from './walks/ownership.ts'
import { actionWalks } from './walks/actions.ts'
import { creditWalks } from './walks/credits.ts'
import { walletAttackWalks } from './walks/wallet-attacks.ts'

describe.skipIf(!installed)('a person who has an account of the core API, in a browser', () => {
  const walks = new Walks()

  consoleWalks(walks)
  ownershipWalks(walks)
  walletAttackWalks(walks)
  actionWalks(walks)
  creditWalks(walks)
})
