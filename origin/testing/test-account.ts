import { cidHash } from '../../shared/cid/cid-format.ts'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import { reserveCharges, type SumStates } from '../../shared/policies/sum-states.ts'
import type { Principal } from '../accounts/account.ts'
import type { Capability, KeyOperation, SigningOperation } from '../actions/run.ts'
import { PolicyDocumentError } from '../policies/documents.ts'
import { PolicySigner } from '../policies/policy-signer.ts'
import type { PolicySums } from '../policies/sums/policy-sums.ts'
import { capabilityFor } from '../runs/capability.ts'
import { RunTransactionSigner } from '../transactions/signer.ts'
import { TEST_ACCOUNT_HASH, TEST_KEYRING } from './test-keyring.ts'
import { TestTransactions } from './test-transactions.ts'
import type { TestChains, TestSignature, TestWallet } from './types.ts'
import { stateOf } from './wallet-states.ts'

type TestAccountOptions = {
  /** CID of the action, which the group permits. */
  cid: string
  wallets: Readonly<Record<string, TestWallet>>
  chains: TestChains
  /** Unix milliseconds, on the fake clock. */
  now: () => number
}

/** An account with one group, which permits the action and the wallets. Keys and permissions work as in production. */
export class TestAccount implements Capability {
  readonly signatures: TestSignature[] = []
  readonly transactions: TestTransactions
  readonly #nameOf: (pkpId: string) => string
  readonly #capability: ReturnType<typeof capabilityFor>

  constructor({ cid, wallets, chains, now }: TestAccountOptions) {
    const states = Object.entries(wallets).map(([name, wallet]) => ({
      name,
      ...stateOf(wallet, `wallets.${name}`),
    }))
    const names = new Map(states.map(({ name, wallet }) => [wallet.pkpId, name]))
    this.#nameOf = (pkpId) => names.get(paddedId(pkpId)) ?? pkpId
    const principal = principalOf(
      cid,
      states.map(({ wallet }) => wallet),
    )
    const policies = new Map(
      states.flatMap(({ policy }) => (policy ? [[policy.hash, policy] as const] : [])),
    )
    const signer = policySigner(policies, now)
    const accounts = { account: () => principal.account, principal: () => principal }
    this.transactions = new TestTransactions({
      chains,
      now,
      nameOf: this.#nameOf,
      signer: new RunTransactionSigner({
        keyring: TEST_KEYRING,
        mirror: { current: () => accounts },
        keyLimits: { isExpired: () => false },
        policySigner: signer,
      }),
    })
    this.#capability = capabilityFor(TEST_KEYRING, cid, () => principal, signer, {
      service: this.transactions,
    })
  }

  async keyOperation(operation: KeyOperation): Promise<string> {
    const value = await this.#capability.keyOperation(operation)
    if (isSigning(operation))
      this.signatures.push({ wallet: this.#nameOf(operation.pkpId), ...shown(operation, value) })
    return value
  }

  end(): void {
    this.#capability.end()
  }
}

function isSigning(operation: KeyOperation): operation is SigningOperation {
  const { name } = operation
  return (
    name === 'signMessage' ||
    name === 'signTypedData' ||
    name === 'signTransaction' ||
    name === 'signDigest'
  )
}

type Shown<Signature> = Signature extends unknown ? Omit<Signature, 'wallet'> : never

function shown(operation: SigningOperation, signature: string): Shown<TestSignature> {
  switch (operation.name) {
    case 'signMessage':
      return { kind: 'message', message: messageText(operation.message), signature }
    case 'signTypedData': {
      const data = tryParseJson(operation.typedData) as Record<
        'domain' | 'types' | 'value',
        unknown
      >
      return {
        kind: 'typed_data',
        domain: data.domain,
        types: data.types,
        value: data.value,
        signature,
      }
    }
    case 'signTransaction': {
      const transaction = tryParseJson(operation.transaction)
      return { kind: 'transaction', transaction, signature }
    }
    case 'signDigest':
      return { kind: 'digest', digest: operation.digest, signature }
  }
}

function messageText(hex: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(hex.slice(2), 'hex'))
  } catch {
    return hex
  }
}

const paddedId = (pkpId: string) => `0x${pkpId.slice(2).toLowerCase().padStart(64, '0')}`

function principalOf(
  cid: string,
  wallets: readonly ReturnType<typeof stateOf>['wallet'][],
): Principal {
  const hash = TEST_ACCOUNT_HASH
  const group = {
    id: 1,
    name: 'test',
    description: '',
    pkpIds: new Set(wallets.map(({ pkpId }) => pkpId)),
    cidHashes: new Set([cidHash(cid)]),
  }
  return {
    keyHash: hash,
    account: {
      hash,
      managed: true,
      adminWallet: '',
      name: 'test',
      description: '',
      createdAt: 0,
      hashes: new Map([[hash, { revoked: false }]]),
      wallets: new Map(wallets.map((wallet) => [wallet.pkpId, wallet])),
      groups: new Map([[group.id, group]]),
      usageKeys: new Map(),
      actions: new Map(),
    },
  }
}

function policySigner(policies: ReadonlyMap<string, Policy>, now: () => number): PolicySigner {
  const sums = new TestSums(now)
  return new PolicySigner({
    keyring: TEST_KEYRING,
    documents: {
      cached: (hash) => policies.get(hash),
      load: async (hash) => {
        throw new PolicyDocumentError(`the policy ${hash} is not in this test`)
      },
    },
    sums,
    chainTime: () => Math.floor(now() / 1000),
    now,
    log: () => {},
  })
}

/** Sums of policies, which are empty at the start of each run. */
class TestSums implements Pick<PolicySums, 'reserve' | 'reservedUnder'> {
  readonly #now: () => number
  readonly #states = new Map<string, SumStates>()
  readonly #policies = new Map<string, string>()

  constructor(now: () => number) {
    this.#now = now
  }

  async reserve({ pkpId, digest, policyHash, charges }: Parameters<PolicySums['reserve']>[0]) {
    const states: SumStates = this.#states.get(pkpId) ?? new Map()
    // A digest that is signed again is not charged again.
    const isPaid = this.#policies.get(`${pkpId}/${digest}`) === policyHash
    const due = isPaid ? charges.map((charge) => ({ ...charge, amount: 0n })) : charges
    const reserved = reserveCharges(states, due, this.#now())
    if (!reserved.isReserved) return reserved
    this.#states.set(pkpId, reserved.states)
    this.#policies.set(`${pkpId}/${digest}`, policyHash)
    return { isReserved: true as const, remaining: reserved.remaining }
  }

  async reservedUnder(pkpId: string, digest: string): Promise<string | undefined> {
    return this.#policies.get(`${pkpId}/${digest}`)
  }
}
