import type { Mutant } from '../mutant.ts'

/** Mutants of runs: claims, capabilities, stored responses, and keys. */
export const RUNS: readonly Mutant[] = [
  {
    id: 'runs-dead-process-ends-run',
    file: 'origin/runs/claims.ts',
    from: 'return and(byRun(run), eq(runClaims.processId, this.#options.processId))',
    to: 'return byRun(run)',
    meaning: 'a process that was taken for dead ends the run of the one that took over',
    tests: ['test/origin/runs/claims.test.ts'],
  },
  {
    id: 'runs-wallet-of-another-account',
    file: 'origin/runs/permitted-wallet.ts',
    from: 'if (!found.allowed || walletIdOf(keyring, hash, found.wallet.derivationPath) !== pkpId)',
    to: 'if (!found.allowed)',
    meaning: 'a wallet that an account registered without deriving it can be used',
    tests: ['test/origin/runs/capability.test.ts'],
  },
  {
    id: 'runs-unreserved-second-charged',
    file: 'origin/runs/run-with-meter.ts',
    from: 'const charged_cents = Math.min(cents, reservedCents)',
    to: 'const charged_cents = cents',
    meaning: 'a run whose timer was late is charged more than was reserved',
    tests: ['test/origin/runs/executions.test.ts', 'test/origin/http/run-charges.test.ts'],
  },
  {
    id: 'runs-revoked-key-goes-on',
    file: 'origin/runs/execute-run.ts',
    from: '    refreshPrincipal(principal, mirror.current()),\n',
    to: '    principal,\n',
    meaning: 'a run obtains keys after its API key was revoked',
    tests: ['test/origin/http/revocation.test.ts', 'test/origin/runs/executions.test.ts'],
  },
  {
    id: 'idempotency-key-of-another-key',
    file: 'origin/idempotency/request-scope.ts',
    from: "['scope', accountHash, keyHash, method, path, idempotencyKey]",
    to: "['scope', accountHash, method, path, idempotencyKey]",
    meaning: 'a usage key reads the answer that was kept for another key of the account',
    tests: ['test/origin/http/idempotency.test.ts'],
  },
  {
    id: 'idempotency-second-execution-forgets',
    file: 'origin/idempotency/idempotency-store.ts',
    from: 'forget: first ? () => ending(db.delete(keptAnswers).where(own)) : release,',
    to: 'forget: () => ending(db.delete(keptAnswers).where(own)),',
    meaning: 'a repeat that is refused forgets that the first execution may have written',
    tests: ['test/origin/http/idempotency.test.ts'],
  },
  {
    id: 'keys-ciphertext-respelled',
    file: 'origin/keys/wallet-cipher.ts',
    from: "if (bytes.toString('base64') !== ciphertext)",
    to: 'if (bytes.length === 0)',
    meaning: 'one ciphertext has several spellings that decrypt',
    tests: ['test/origin/keys/wallet-cipher.test.ts'],
  },
  {
    id: 'keys-names-run-together',
    file: 'origin/keys/at-rest.ts',
    from: 'Buffer.from(JSON.stringify(names))',
    to: "Buffer.from(names.join(''))",
    meaning: 'the outcome of one run decrypts in the row of another whose names read alike',
    tests: ['test/origin/runs/outcome-codec.test.ts', 'test/origin/runs/encryption.test.ts'],
  },
]
