import type { Mutant } from '../mutant.ts'

const WRITER = [
  'test/origin/accounts/lane.test.ts',
  'test/origin/accounts/writer.test.ts',
  'test/origin/accounts/writer-chain.test.ts',
]

/** Mutants of account state: the mirror, permissions, wallet proofs, and writes. */
export const ACCOUNTS: readonly Mutant[] = [
  {
    id: 'mirror-lagging-node-is-fresh',
    file: 'origin/accounts/mirror.ts',
    from: 'if (!isFresh || this.#reading.tip.number < served) return',
    to: 'if (this.#reading.tip.number < served) return',
    meaning: 'the head of a node that lags keeps old permissions valid',
    tests: ['test/origin/accounts/lag.test.ts', 'test/origin/accounts/reorg.test.ts'],
  },
  {
    id: 'mirror-requirement-lowered',
    file: 'origin/accounts/mirror/mirror-barrier.ts',
    from: 'set block = greatest(block, ${block})',
    to: 'set block = ${block}',
    meaning: 'a process that is behind lowers the block that all processes have to apply',
    tests: [
      'test/origin/accounts/applied-everywhere.test.ts',
      'test/origin/accounts/read-lease.test.ts',
    ],
  },
  {
    id: 'mirror-revoked-key-revived',
    file: 'origin/accounts/mirror/apply-event.ts',
    from: 'const revoked = account.hashes.get(hash)?.revoked ?? false',
    to: 'const revoked = false',
    meaning: 'a key that was revoked is valid again once its hash is set as an alias',
    tests: ['test/origin/accounts/state.test.ts', 'test/origin/accounts/reorg.test.ts'],
  },
  {
    id: 'accounts-removed-usage-key-is-account-key',
    file: 'origin/accounts/state.ts',
    from: 'account.hashes.get(keyHash)?.revoked === false ?',
    to: 'account.hashes.get(keyHash)?.revoked !== true ?',
    meaning: 'a usage key that was removed passes for the account key',
    tests: ['test/origin/accounts/state.test.ts', 'test/origin/accounts/permissions.test.ts'],
  },
  {
    id: 'accounts-wildcard-wallet-into-group',
    file: 'origin/accounts/rights.ts',
    from: 'const group = pkpId === WILDCARD ? ALL_GROUPS : groupId',
    to: 'const group = groupId',
    meaning: 'a usage key that may add wallets to one group gives it every wallet',
    tests: ['test/origin/http/rights.test.ts', 'test/origin/http/groups.test.ts'],
  },
  {
    id: 'mirror-snapshot-of-another-chain',
    file: 'origin/accounts/mirror/snapshot-file.ts',
    from: 'if (this.#identity().some((part) => from.text() !== part))',
    to: "if (this.#identity().some(() => from.text() === ''))",
    meaning: 'the accounts of another chain or contract are loaded',
    tests: ['test/origin/accounts/snapshot.test.ts'],
  },
  {
    id: 'accounts-proof-used-twice',
    file: 'origin/accounts/wallet-proofs/conversion-proofs.ts',
    from: '    await this.requireUnused(proof, writeId)\n',
    to: '',
    meaning: 'one proof of a wallet converts two accounts',
    tests: ['test/origin/http/conversion.test.ts', 'test/origin/accounts/wallet-proofs.test.ts'],
  },
  {
    id: 'writer-mined-write-signed-again',
    file: 'origin/accounts/writer/gas-payer.ts',
    from: 'if (!this.held || write.receipt) return false',
    to: 'if (!this.held) return false',
    meaning: 'a write that was mined meanwhile is signed under another nonce, and happens twice',
    tests: WRITER,
  },
  {
    id: 'writer-nonce-lost-before-final',
    file: 'origin/accounts/writer/write-finalizer.ts',
    from: 'write.nonce < finalCount ? write.nonceUsedChecks + 1 : 0',
    to: 'write.nonceUsedChecks + 1',
    meaning: 'a nonce that is used in a block which is not final counts as lost',
    tests: WRITER,
  },
  {
    id: 'writer-late-word-reopens-final',
    file: 'origin/accounts/writer/write-outbox.ts',
    from: ".where(and(eq(chainWrites.writeId, writeId), ne(chainWrites.state, 'final')))",
    to: '.where(eq(chainWrites.writeId, writeId))',
    meaning: 'a "mined" that arrives after "final" reopens a settled write',
    tests: ['test/origin/accounts/outbox.test.ts', 'test/origin/accounts/writer.test.ts'],
  },
  {
    id: 'writer-signs-after-lease',
    file: 'origin/accounts/writer/write-outbox.ts',
    from: '      sql`${payers.leaseUntil} > clock_timestamp()`,\n',
    to: '',
    meaning: 'a process records writes for a payer whose lease has run out',
    tests: [
      'test/origin/accounts/outbox.test.ts',
      'test/origin/accounts/payer-leases.test.ts',
      'test/origin/accounts/writer-processes.test.ts',
    ],
  },
]
