/** Changes a good proof in one place at a time. Each change is refused for its own reason. */
import { beforeAll, describe, expect, it } from 'vitest'
import { parseWalletProof, type WalletProof } from '../../../../shared/cli/wallet-proof/bundle.ts'
import {
  type ProofFlaw,
  ProofRefusedError,
} from '../../../../shared/cli/wallet-proof/proof-error.ts'
import {
  type ProvenWallet,
  verifyWalletProof,
} from '../../../../shared/cli/wallet-proof/verify-wallet-proof.ts'
import { parsePolicy } from '../../../../shared/policies/policy.ts'
import { NOW, pinnedPolicy } from '../../attestation/good-evidence.ts'
import { newReceiptKey, payloadOf } from '../../receipts.ts'
import {
  CONTRACT,
  FIRST,
  goodProof,
  LOOSE,
  receiptWith,
  signatureWith,
  statementWith,
  TIGHT,
  WALLET,
} from './good-proof.ts'

const OTHER = `0x${'77'.repeat(32)}`
const OTHER_ADDRESS = '0x8ba1f109551bd432803012645ac136ddd64dba72'

let good: WalletProof
beforeAll(async () => {
  good = await goodProof()
})

const read = (text: string): Promise<ProvenWallet> =>
  verifyWalletProof(parseWalletProof(text), {
    wallet: WALLET,
    evidencePolicy: pinnedPolicy(),
    at: NOW,
  })

it('accepts the unchanged proof, so that each refusal below is caused by its change', async () => {
  const proven = await read(JSON.stringify(good))
  expect(proven).toMatchObject({ verdict: 'SIMULATED', policy: { hash: TIGHT.hash } })
  expect(proven.history.pending).toMatchObject({ policy_hash: LOOSE.hash })
  expect(proven.signatures.map(({ policy_hash }) => policy_hash)).toEqual([FIRST.hash, TIGHT.hash])
  expect(proven.open.join('\n')).toMatch(
    /They are not proven, and nothing is known of later blocks/,
  )
})

it('accepts a proof without documents of former policies, and says that they are missing', async () => {
  const proven = await read(JSON.stringify({ ...good, documents: [TIGHT.canonical] }))
  expect(proven.open.join('\n')).toMatch(/other policies that are not there: 2/)
})

/** Changes the proof in place, or returns its text. */
type Mutant = [
  name: string,
  ProofFlaw,
  reason: RegExp,
  change: (proof: WalletProof) => void | string,
]

/** A wallet under a policy that is immutable, whose key is locked to it. */
function locked(proof: WalletProof): string {
  const { canonical, hash } = parsePolicy(JSON.stringify({ ...TIGHT.document, immutable: true }))
  const { chain } = proof
  const terms = { policy_hash: hash, is_immutable: true }
  chain.events = [{ ...chain.events[0]!, ...terms }]
  chain.record = { ...chain.record, ...terms, pending: null }
  proof.documents = [canonical]
  proof.receipts = []
  return hash
}

const EVIDENCE: Mutant[] = [
  [
    'a member twice',
    'malformed',
    /the member wallet occurs twice/,
    (proof) => JSON.stringify(proof).replace('{', `{"wallet":"${WALLET}",`),
  ],
  [
    'an unknown member',
    'malformed',
    /written by svc verify wallet/,
    (proof) => JSON.stringify({ ...proof, trusted: true }),
  ],
  ['text after the JSON', 'malformed', /not JSON/, (proof) => `${JSON.stringify(proof)}}`],
  [
    'evidence of another application',
    'evidence',
    /compose hash/,
    ({ evidence }) => void (evidence.info.tcb_info.app_compose += ' '),
  ],
  [
    'evidence with another receipt key',
    'evidence',
    /receipt-key.json does not match/,
    ({ evidence }) => void (evidence.files['receipt-key.json'] += ' '),
  ],
]

const STATEMENT: Mutant[] = [
  [
    'a statement by another key',
    'statement',
    /kid does not match/,
    (proof) => void (proof.statement = statementWith(proof.statement, {}, newReceiptKey())),
  ],
  [
    'a statement with one changed byte',
    'statement',
    /signature is invalid/,
    (proof) => {
      const [head, body, signature] = proof.statement.split('.')
      const changed = Buffer.from(JSON.stringify({ ...payloadOf(proof.statement), lock: OTHER }))
      expect(body).not.toBe(changed.toString('base64url'))
      proof.statement = [head, changed.toString('base64url'), signature].join('.')
    },
  ],
  [
    'a receipt instead of the statement',
    'statement',
    /type is not svc-wallet\+jws/,
    (proof) => void (proof.statement = proof.receipts[0]!),
  ],
  [
    'a statement by another release',
    'other_application',
    /compose hash/,
    (proof) =>
      void (proof.statement = statementWith(proof.statement, { compose_hash: 'ab'.repeat(32) })),
  ],
  [
    'a statement about another wallet',
    'other_wallet',
    /about the wallets 0x8ba1/,
    (proof) =>
      void (proof.statement = statementWith(proof.statement, { wallet_address: OTHER_ADDRESS })),
  ],
  [
    'a bundle of another wallet',
    'other_wallet',
    /and 0x8ba1/,
    (proof) => void (proof.wallet = OTHER_ADDRESS),
  ],
  [
    'the ID of another wallet',
    'other_wallet',
    /about the wallets/,
    (proof) =>
      void (proof.statement = statementWith(proof.statement, {
        pkp_id: `0x${'00'.repeat(12)}${OTHER_ADDRESS.slice(2)}`,
      })),
  ],
  [
    'a wallet whose key actions can get',
    'exportable',
    /actions can get it/,
    (proof) =>
      void (proof.statement = statementWith(proof.statement, { derivation: 'exportable' })),
  ],
]

const CHAIN: Mutant[] = [
  [
    'another account',
    'other_account',
    /but the wallet belongs to 0x7777/,
    (proof) => void (proof.statement = statementWith(proof.statement, { account_hash: OTHER })),
  ],
  ['another chain', 'other_chain', /of the chain 1, but/, ({ chain }) => void (chain.chain_id = 1)],
  [
    'another contract',
    'other_contract',
    /but the origin uses 0x5Fb/,
    ({ chain }) => void (chain.contract = OTHER_ADDRESS),
  ],
  [
    'an event of another contract',
    'other_contract',
    /of the contract 0x8ba1/,
    ({ chain }) => void (chain.events[1]!.contract = OTHER_ADDRESS),
  ],
  [
    'an event of another account',
    'other_account',
    /about the account 0x7777/,
    ({ chain }) => void (chain.events[1]!.account_hash = OTHER),
  ],
  [
    'an event of another wallet',
    'other_wallet',
    /an event is about the wallet/,
    ({ chain }) => void (chain.events[1]!.pkp_id = OTHER),
  ],
  ['no events', 'not_registered', /no event/, ({ chain }) => void (chain.events = [])],
  [
    'without the registration',
    'not_registered',
    /not the registration/,
    ({ chain }) => void chain.events.shift(),
  ],
  [
    'without a change',
    'history_gap',
    /but 0x\w+ held at that time/,
    ({ chain }) => void chain.events.splice(1, 1),
  ],
  [
    'without the last change',
    'not_the_recorded_policy',
    /and the pending policy/,
    ({ chain }) => void chain.events.pop(),
  ],
  [
    'events in another order',
    'not_in_order',
    /but is not later/,
    ({ chain }) => void chain.events.splice(1, 2, chain.events[2]!, chain.events[1]!),
  ],
  [
    'an event twice',
    'not_in_order',
    /but is not later/,
    ({ chain }) => void chain.events.splice(1, 0, chain.events[1]!),
  ],
  [
    'an event with another policy',
    'history_gap',
    /an event replaces the policy/,
    ({ chain }) => void (chain.events[1]!.policy_hash = OTHER),
  ],
  [
    'a pending policy shown as holding',
    'not_the_recorded_policy',
    /but by its events/,
    ({ chain: { record } }) => {
      record.policy_hash = LOOSE.hash
      record.pending = null
    },
  ],
  [
    'a loosening that did not wait',
    'wrong_delay',
    /after 60 seconds instead of 86400/,
    ({ chain }) => void (chain.events[2]!.effective_at = chain.events[2]!.set_at + 60),
  ],
  [
    'a loosening that is shown as a change at once',
    'loosened_at_once',
    /does not tighten it/,
    (proof) => {
      const { chain } = proof
      chain.events[2]!.effective_at = chain.events[2]!.set_at
      chain.record = { ...chain.record, policy_hash: LOOSE.hash, pending: null }
    },
  ],
  [
    'a pending policy with another time',
    'not_the_recorded_policy',
    /is pending/,
    ({ chain }) => void (chain.record.pending!.effective_at += 1),
  ],
  [
    'a pending policy that is hidden',
    'not_the_recorded_policy',
    /is pending/,
    ({ chain }) => void (chain.record.pending = null),
  ],
  [
    'a record of another wallet',
    'other_wallet',
    /the record is about/,
    ({ chain }) => void (chain.record.pkp_id = OTHER),
  ],
  [
    'a later block’s pending policy as of an earlier one',
    'after_the_block',
    /newer than the block 700/,
    ({ chain }) => void (chain.block.number = 700),
  ],
  [
    'a block after the pending policy took effect',
    'not_the_recorded_policy',
    /but by its events/,
    ({ chain }) => void (chain.block.timestamp += 86_400),
  ],
  [
    'a change of an immutable policy',
    'immutable_changed',
    /is immutable, but/,
    ({ chain }) => void (chain.events[0]!.is_immutable = true),
  ],
  [
    'a key that is locked to another policy',
    'locked_to_another_policy',
    /only under the immutable policy 0x7777/,
    (proof) => {
      locked(proof)
      proof.statement = statementWith(proof.statement, { lock: OTHER })
    },
  ],
  [
    'a lock of a policy that can change',
    'locked_to_another_policy',
    /only under/,
    (proof) => void (proof.statement = statementWith(proof.statement, { lock: TIGHT.hash })),
  ],
]

const DOCUMENTS: Mutant[] = [
  [
    'a document with one changed byte',
    'unknown_document',
    /never recorded/,
    (proof) => void (proof.documents[0] = proof.documents[0]!.replace('"max":"50"', '"max":"90"')),
  ],
  [
    'another document instead of the policy',
    'unknown_document',
    /never recorded/,
    (proof) =>
      void (proof.documents[0] = parsePolicy(
        JSON.stringify({ ...TIGHT.document, name: 'other' }),
      ).canonical),
  ],
  [
    'without the document of the policy',
    'missing_document',
    /is missing/,
    (proof) => void proof.documents.shift(),
  ],
  [
    'a document with a member twice',
    'invalid_document',
    /occurs twice/,
    (proof) => void (proof.documents[0] = proof.documents[0]!.replace('{', '{"version":1,')),
  ],
  [
    'a document in another form',
    'invalid_document',
    /not in canonical form/,
    (proof) => void (proof.documents[0] += ' '),
  ],
  [
    'hashes that are swapped',
    'history_gap',
    /an event replaces/,
    ({ chain: { events } }) => {
      const [one, other] = [events[0]!.policy_hash, events[1]!.policy_hash]
      events[0]!.policy_hash = other
      events[1]!.policy_hash = one
    },
  ],
  [
    'a delay that the document does not have',
    'other_terms',
    /another delay or mutability/,
    ({ chain: { events, record } }) => {
      events[0]!.change_delay_s = 60
      expect(record.change_delay_s).toBe(86_400)
    },
  ],
]

const RECEIPTS: Mutant[] = [
  [
    'a receipt by another key',
    'receipt',
    /kid does not match/,
    ({ receipts }) => void (receipts[0] = receiptWith(receipts[0]!, {}, newReceiptKey())),
  ],
  [
    'a receipt with another digest',
    'receipt',
    /signature is invalid/,
    ({ receipts }) => {
      const other = signatureWith(receipts[0]!, { digest: OTHER })
      receipts[0] = [...other.split('.').slice(0, 2), receipts[0]!.split('.')[2]].join('.')
    },
  ],
  [
    'the statement instead of a receipt',
    'receipt',
    /type is not svc-receipt\+jws/,
    (proof) => void (proof.receipts[0] = proof.statement),
  ],
  [
    'a receipt of another account',
    'receipt_of_another_account',
    /of the account 0x7777/,
    ({ receipts }) => void (receipts[0] = receiptWith(receipts[0]!, { account_hash: OTHER })),
  ],
  [
    'a receipt with another wallet',
    'receipt_without_the_wallet',
    /no signature of the wallet/,
    ({ receipts }) => void (receipts[0] = signatureWith(receipts[0]!, { wallet: OTHER_ADDRESS })),
  ],
  [
    'a receipt twice',
    'repeated_receipt',
    /twice/,
    ({ receipts }) => void (receipts[1] = receipts[0]!),
  ],
  [
    'a receipt with another policy',
    'policy_of_no_time',
    /never was/,
    ({ receipts }) => void (receipts[0] = signatureWith(receipts[0]!, { policy_hash: OTHER })),
  ],
  [
    'a receipt with the pending policy',
    'policy_of_no_time',
    /never was/,
    ({ receipts }) => void (receipts[1] = signatureWith(receipts[1]!, { policy_hash: LOOSE.hash })),
  ],
  [
    'a receipt from before the policy was set',
    'policy_at_another_time',
    /did not hold at/,
    ({ receipts }) => void (receipts[0] = signatureWith(receipts[0]!, { policy_hash: TIGHT.hash })),
  ],
  [
    'a receipt from after the policy was replaced',
    'policy_at_another_time',
    /did not hold at/,
    ({ receipts }) => void (receipts[1] = signatureWith(receipts[1]!, { policy_hash: FIRST.hash })),
  ],
  [
    'a receipt with an unknown rule',
    'unknown_rule',
    /the rule "refund"/,
    ({ receipts }) => void (receipts[0] = signatureWith(receipts[0]!, { rule: 'refund' })),
  ],
  [
    'a receipt with more than the maximum remaining',
    'too_much_remaining',
    /51 of 50 remained/,
    ({ receipts }) =>
      void (receipts[1] = signatureWith(receipts[1]!, {
        sums: [{ key: 'USDC a day/1', remaining: '51', max: '50' }],
      })),
  ],
  [
    'a receipt with another maximum',
    'other_sum',
    /maximum 51/,
    ({ receipts }) =>
      void (receipts[1] = signatureWith(receipts[1]!, {
        sums: [{ key: 'USDC a day/1', remaining: '1', max: '51' }],
      })),
  ],
  [
    'a receipt with a sum that the rule does not have',
    'other_sum',
    /the sum DAI a day/,
    ({ receipts }) =>
      void (receipts[1] = signatureWith(receipts[1]!, {
        sums: [{ key: 'DAI a day/1', remaining: '1', max: '50' }],
      })),
  ],
]

const MUTANTS = [...EVIDENCE, ...STATEMENT, ...CHAIN, ...DOCUMENTS, ...RECEIPTS]

describe('a proof with a single change is refused', () => {
  it.each(MUTANTS)('%s', async (_, flaw, reason, change) => {
    const proof = structuredClone(good)
    const text = change(proof) ?? JSON.stringify(proof)
    const refused = await Promise.resolve()
      .then(() => read(text))
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProofRefusedError)
    expect((refused as ProofRefusedError).message).toMatch(reason)
    expect((refused as ProofRefusedError).flaw).toBe(flaw)
  })

  it('another wallet than the requested one', async () => {
    const options = { wallet: OTHER_ADDRESS, evidencePolicy: pinnedPolicy(), at: NOW }
    await expect(verifyWalletProof(good, options)).rejects.toMatchObject({ flaw: 'other_wallet' })
  })
})

it('accepts a key that is locked to the immutable policy of the wallet', async () => {
  const proof = structuredClone(good)
  const hash = locked(proof)
  proof.statement = statementWith(proof.statement, { lock: hash })
  expect(await read(JSON.stringify(proof))).toMatchObject({
    statement: { lock: hash, contract: CONTRACT },
  })
})
