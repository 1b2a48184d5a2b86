import type { Mutant } from '../mutant.ts'

const REDIRECTS = 'test/origin/outbound/redirects.test.ts'

/** Mutants of the sandbox: its processes, its host functions, and outbound requests. */
export const ACTIONS: readonly Mutant[] = [
  {
    id: 'pool-key-after-the-end',
    file: 'origin/actions/pool/key-gate.ts',
    from: 'return this.#open ? answer : undefined',
    to: 'return answer',
    meaning: 'a key that was asked for before the end of a run is handed out after it',
    tests: ['test/origin/actions/executor-process.test.ts', 'test/origin/actions/keys.test.ts'],
  },
  {
    id: 'pool-key-for-another-run',
    file: 'origin/actions/pool/executor-process.ts',
    from: `        if (message.token !== this.#active?.gate.token) return
        this.computing =`,
    to: `        if (this.#active === undefined) return
        this.computing =`,
    meaning: 'an executor obtains keys without the token of the run',
    tests: ['test/origin/actions/executor-process.test.ts', 'test/origin/actions/keys.test.ts'],
  },
  {
    id: 'pool-executor-reads-packages',
    file: 'origin/actions/pool/fork.ts',
    from: `'tiny-secp256k1/lib/secp256k1.wasm'`,
    to: `''`,
    meaning: 'an executor may read all installed packages',
    tests: ['test/origin/actions/isolation.test.ts'],
  },
  {
    id: 'pool-last-executor-taken',
    file: 'origin/actions/pool/shares.ts',
    from: 'if (running >= this.#max - this.#running) return false',
    to: 'if (running > this.#max - this.#running) return false',
    meaning: 'one account takes an executor that is left over for others',
    tests: ['test/origin/actions/pool-shares.test.ts'],
  },
  {
    id: 'host-bytes-behind-der',
    file: 'origin/actions/host/key-material.ts',
    from: 'return bytes.length === 2 + count + length',
    to: 'return bytes.length >= 2 + count + length',
    meaning: 'a key with further bytes behind its DER is taken',
    tests: [
      'test/origin/actions/runtime-crypto.test.ts',
      'test/origin/actions/crypto-vectors.test.ts',
      'test/origin/actions/crypto-attacks.test.ts',
    ],
  },
  {
    id: 'outbound-one-public-address-suffices',
    file: 'origin/actions/outbound/address-guard.ts',
    from: '!addresses.every((address) => this.#isForeignAndPublic(address))',
    to: '!addresses.some((address) => this.#isForeignAndPublic(address))',
    meaning: 'a name with a public and a private address reaches the private one',
    tests: ['test/origin/outbound/names.test.ts', 'test/origin/outbound/policy.test.ts'],
  },
  {
    id: 'outbound-credentials-to-another-port',
    file: 'origin/actions/outbound/redirect.ts',
    from: 'target.url.origin === from.url.origin ?',
    to: 'target.host === from.host ?',
    meaning: 'a redirect carries the authorization to another port or to plain HTTP',
    tests: [REDIRECTS],
  },
  {
    id: 'outbound-redirects-uncounted',
    file: 'origin/actions/outbound/run-outbound.ts',
    from: 'this.#load(() => this.#countRequest())',
    to: 'this.#load(() => {})',
    meaning: 'redirects do not count as requests of a run',
    tests: [REDIRECTS, 'test/origin/actions/outbound-limits.test.ts'],
  },
  {
    id: 'source-largest-refused',
    file: 'origin/actions/source-cid/json-source.ts',
    from: 'return bytes > maxBytes',
    to: 'return bytes >= maxBytes',
    meaning: 'an escaped source of exactly the largest size is refused',
    tests: ['test/origin/http/source-cids.test.ts'],
  },
]
