import { FunctionFragment, Interface } from 'ethers'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { CONTRACT_CALLS } from '../../edge/browser/chain-secured/contract-calls.ts'
import type { Consent, Explanation } from '../../edge/browser/chain-secured/explanation.ts'
import type { AccountsChain } from '../../edge/browser/chain-secured/explain-transaction.ts'
import { guardedProvider } from '../../edge/browser/chain-secured/guarded-provider.ts'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import type { Eip1193Provider } from '../../shared/client/sovereign/signer.ts'
import {
  accountHashOfWallet,
  PURPOSES,
  termNames,
  typedDataOf,
} from '../../shared/crypto/typed-data.ts'

const ADMIN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const PLACE: AccountsChain = {
  chainId: 31_337n,
  contractAddress: CONTRACT,
  chainName: 'the test chain',
  token: 'ETH',
}
const NOW = 1_700_000_000_000
const WORD = `0x${'12'.repeat(32)}`
const HOLDING = `0x${'34'.repeat(32)}`
const contract = new Interface(accountConfigAbi)
const KEY = ['runner', '', false, false, true, [], [], [], [3]]

/** Calls that an admin is allowed to make, without their first argument, the account hash. */
const CALLS: Record<string, unknown[]> = {
  transferChainSecuredAccountOwnership: [OTHER],
  registerWalletDerivation: [WORD, WORD, 'hot', ''],
  registerPolicyWallet: [WORD, WORD, 'hot', '', [WORD, 86_400, false], '0x'],
  setWalletPolicy: [WORD, HOLDING, [WORD, 0, false], true, '0x'],
  addGroup: ['signers', '', [WORD], [0]],
  updateGroup: [3, 5, ['renamed', '', [WORD], []]],
  removeGroup: [3],
  addPkpToGroup: [3, WORD],
  removePkpFromGroup: [3, WORD],
  addActionToGroup: [3, 'QmTest', '', ''],
  removeActionFromGroup: [3, 5],
  addAction: ['QmTest', '', ''],
  updateActionMetadata: [5, 1, 'renamed', ''],
  deleteAction: [5],
  setUsageApiKey: [WORD, KEY],
  updateUsageApiKey: [WORD, 256, KEY],
  removeUsageApiKey: [WORD],
}

const ACCOUNT = BigInt(accountHashOfWallet(ADMIN))

function transaction(name: string, args: unknown[], change: object = {}) {
  const data = contract.encodeFunctionData(name, args)
  return { from: ADMIN, to: CONTRACT, data, gas: '0x30d40', chainId: '0x7a69', ...change }
}
const removal = (change?: object) => transaction('removeGroup', [ACCOUNT, 3], change)

describe('a guarded wallet', () => {
  let asked: Parameters<Eip1193Provider['request']>[0][]
  let explanations: Explanation[]
  let sent: unknown[]
  let wallet: { accounts: string[]; chainId: string; answer: (method: string) => Promise<unknown> }
  let consent: Consent
  let guarded: Eip1193Provider

  beforeEach(() => {
    asked = []
    explanations = []
    sent = []
    wallet = { accounts: [ADMIN], chainId: '0x7a69', answer: async () => '0xabcd' }
    consent = {
      confirm: async (explanation) => void explanations.push(explanation),
      requested: () => {},
      ended: () => {},
      sent: (what) => void sent.push(what),
      untilStopped: () => new Promise(() => {}),
    }
    guarded = guardedProvider({
      wallet: {
        request: async (question) => {
          asked.push(question)
          if (question.method === 'eth_requestAccounts') return wallet.accounts
          if (question.method === 'eth_chainId') return wallet.chainId
          if (question.method === 'eth_gasPrice') return '0x3b9aca00'
          return wallet.answer(question.method)
        },
      },
      address: ADMIN,
      place: PLACE,
      // Delegates, so that each test can set its own consent.
      consent: {
        confirm: (explanation) => consent.confirm(explanation),
        requested: () => consent.requested(),
        ended: () => consent.ended(),
        sent: (what) => consent.sent(what),
        untilStopped: (what, answered) => consent.untilStopped(what, answered),
      },
      account: async () => undefined,
      now: () => NOW,
    })
  })

  const signs = (method: string) => /sign|send/i.test(method)
  const send = (given: object) =>
    guarded.request({ method: 'eth_sendTransaction', params: [given] })
  const sign = (given: object, signer = ADMIN) =>
    guarded.request({ method: 'eth_signTypedData_v4', params: [signer, JSON.stringify(given)] })
  const proof = (change = {}) =>
    typedDataOf({
      purpose: 'BillingAuth',
      address: ADMIN,
      issuedAt: NOW / 1000,
      chainId: 31_337n,
      ...change,
    })

  async function isRefused(asking: Promise<unknown>): Promise<void> {
    await expect(asking).rejects.toMatchObject({ code: expect.any(Number) })
    expect(asked.filter(({ method }) => signs(method))).toEqual([])
  }

  it('explains every call available to an admin', async () => {
    const payersAndOwner =
      /^(newAccount|convertToChainSecuredAccount|rotateAccountApiKey|setApiPayers|setNodeConfiguration)$/
    const admins = contract.fragments.flatMap((fragment) =>
      FunctionFragment.isFragment(fragment) &&
      fragment.stateMutability === 'nonpayable' &&
      !payersAndOwner.test(fragment.name)
        ? fragment.name
        : [],
    )
    expect(Object.keys(CONTRACT_CALLS).toSorted()).toEqual(admins.toSorted())
    expect([...Object.keys(CALLS), 'newChainSecuredAccount'].toSorted()).toEqual(admins.toSorted())
  })

  test.each(Object.entries(CALLS))('explains %s before it is sent', async (name, args) => {
    expect(await send(transaction(name, [ACCOUNT, ...args]))).toBe('0xabcd')
    const [{ facts, ...explanation }] = explanations as [Explanation]
    const said = Object.fromEntries(facts)
    expect(said).toMatchObject({ Function: name, 'Signed by': ADMIN })
    expect(said.Contract).toContain(CONTRACT)
    expect(said.Cost).toBe('gas, up to 200,000 units: at most about 0.0002 ETH')
    expect(explanation.title).toMatch(/^[A-Z]/)
    expect(explanation.undo).toMatch(/\.$/)
  })

  it('shows the arguments that the call data contains', async () => {
    await send(transaction('updateUsageApiKey', [ACCOUNT, ...CALLS.updateUsageApiKey!]))
    expect(explanations[0]!.facts[0]).toEqual(['Can run the actions of', 'group 3'])
    await send(transaction('transferChainSecuredAccountOwnership', [ACCOUNT, OTHER]))
    expect(explanations[1]!.facts[0]).toEqual(['New admin', OTHER])
    expect(explanations[1]!.isIrreversible).toBe(true)
  })

  it('explains when the policy of a wallet can be loosened', async () => {
    const create = (terms: unknown[]) =>
      send(transaction('registerPolicyWallet', [ACCOUNT, WORD, WORD, '', '', terms, '0x']))
    await create([WORD, 7_200, false])
    await create([WORD, 0, false])
    await create([WORD, 7_200, true])
    const later = explanations.map(({ facts }) => Object.fromEntries(facts)['Later changes'])
    expect(later).toEqual([
      'take effect at once if they only tighten the policy, and otherwise after 2 hours',
      'take effect at once',
      'none: the policy can never be changed',
    ])
    expect(explanations.map(({ isIrreversible }) => isIrreversible)).toEqual([false, false, true])
  })

  it('explains that a change of a policy tightens it, loosens it, makes it immutable, or is cancelled', async () => {
    const set = (terms: unknown[], atOnce: boolean) =>
      send(transaction('setWalletPolicy', [ACCOUNT, WORD, HOLDING, terms, atOnce, '0x']))
    await set([WORD, 0, false], true)
    await set([WORD, 0, false], false)
    await set([WORD, 0, true], false)
    await set([HOLDING, 0, true], false)
    const [tightened, loosened, fixed, cancelled] = explanations as [
      Explanation,
      Explanation,
      Explanation,
      Explanation,
    ]
    expect(tightened.summary).toContain('only tightens')
    expect(loosened.summary).toContain('may allow more')
    expect(Object.fromEntries(loosened.facts)).toMatchObject({
      'Current policy hash': HOLDING,
      'Policy hash': WORD,
    })
    expect(fixed).toMatchObject({ isIrreversible: true })
    expect(cancelled).toMatchObject({ isIrreversible: false })
    expect(cancelled.summary).toContain('cancels a pending change')
  })

  it('states explicitly that every action and every wallet is permitted', async () => {
    const zero = `0x${'0'.repeat(64)}`
    await send(transaction('addGroup', [ACCOUNT, 'all', '', [zero], [0]]))
    expect(Object.fromEntries(explanations[0]!.facts)).toMatchObject({
      Wallets: 'every wallet of the account, including future ones',
      Actions: 'every action, by any author',
    })
  })

  it('smuggling: states a wildcard wallet or action even among hundreds of IDs', async () => {
    const zero = `0x${'0'.repeat(64)}`
    const many = Array.from(
      { length: 100 },
      (_, i) => `0x${(i + 1).toString(16).padStart(64, '0')}`,
    )
    await send(transaction('addGroup', [ACCOUNT, 'a few', '', [...many, zero], [...many, 0]]))
    expect(Object.fromEntries(explanations[0]!.facts)).toMatchObject({
      Wallets: 'every wallet of the account, including future ones',
      Actions: 'every action, by any author',
    })
  })

  test.each([
    ['a value is in it', { value: '0x1' }],
    ['another contract is called', { to: OTHER }],
    ['another chain is named', { chainId: '0x1' }],
    ['another wallet is to send it', { from: OTHER }],
    ['it delegates the wallet to a contract', { authorizationList: [] }],
    ['bytes stand behind the call', { data: `${removal().data}00` }],
    ['it has no data', { data: '0x' }],
    ['its function is not the contract’s', { data: `0xa9059cbb${removal().data.slice(10)}` }],
  ])('smuggling: sends nothing if %s', async (_, change) => {
    await isRefused(send(removal(change)))
    expect(explanations).toEqual([])
  })

  it('smuggling: does not send a write to another account', async () => {
    await isRefused(send(transaction('removeGroup', [accountHashOfWallet(OTHER), 3])))
  })

  it('smuggling: does not send calls reserved for an owner or payer', async () => {
    await isRefused(send(transaction('setApiPayers', [[OTHER], true])))
    await isRefused(send(transaction('rotateAccountApiKey', [ACCOUNT, 1])))
  })

  test.each([
    'personal_sign',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData',
    'eth_signTypedData_v3',
    'eth_sendRawTransaction',
    'wallet_sendCalls',
    'wallet_addEthereumChain',
    'wallet_requestPermissions',
  ])('smuggling: does not forward %s to the wallet', async (method) => {
    await isRefused(guarded.request({ method, params: ['0x00', ADMIN] }))
    expect(asked).toEqual([])
  })

  it('smuggling: sends a transaction as explained if it is modified during the explanation', async () => {
    const given = removal()
    consent.confirm = async () => void (given.to = OTHER)
    await send(given)
    expect(asked.find(({ method }) => method === 'eth_sendTransaction')?.params).toEqual([
      removal(),
    ])
  })

  it('does not ask a wallet that changed its address during the explanation', async () => {
    consent.confirm = async () => void (wallet.accounts = [OTHER])
    await isRefused(send(removal()))
  })

  it('does not ask a wallet that changed its chain during the explanation', async () => {
    consent.confirm = async () => void (wallet.chainId = '0x1')
    await isRefused(send(removal()))
  })

  it('does not ask the wallet after the user refuses on the page', async () => {
    consent.confirm = () => Promise.reject(Object.assign(new Error('no'), { code: 4001 }))
    await isRefused(send(removal()))
    await isRefused(sign(proof()))
  })

  test.each(PURPOSES)('explains the proof %s and its expiry', async (purpose) => {
    const terms = Object.fromEntries(termNames(purpose).map((name) => [name, WORD]))
    await sign(proof({ purpose, terms }))
    const [{ facts, kind }] = explanations as [Explanation]
    expect(kind).toBe('proof')
    expect(facts.filter(([, value]) => value === WORD)).toHaveLength(termNames(purpose).length)
    expect(Object.fromEntries(facts)).toMatchObject({
      Statement: `${purpose} of Svc ChainSecured`,
      Wallet: ADMIN,
      'Valid until': '2023-11-14 22:18:20 UTC',
    })
  })

  test.each([
    ['of another wallet', proof({ address: OTHER })],
    ['for another chain', proof({ chainId: 1n })],
    ['of an hour ahead', proof({ issuedAt: NOW / 1000 + 3600 })],
    [
      'with a contract that verifies it',
      { ...proof(), domain: { ...proof().domain, verifyingContract: OTHER } },
    ],
    [
      'whose policy hash is not a hash',
      {
        ...proof({ purpose: 'CreatePolicyWallet', terms: { policyHash: WORD } }),
        message: { address: ADMIN, issuedAt: NOW / 1000, policyHash: 'a harmless policy' },
      },
    ],
    ['with a member more', { ...proof(), message: { ...proof().message, spender: OTHER } }],
    ['of another type', { ...proof(), primaryType: 'Permit' }],
  ])('smuggling: does not sign a proof %s', async (_, given) => {
    await isRefused(sign(given))
  })

  it('smuggling: forwards only the explained value of a duplicate member', async () => {
    const twice = `{"primaryType":"ConvertAccount",${JSON.stringify(proof()).slice(1)}`
    await guarded.request({ method: 'eth_signTypedData_v4', params: [ADMIN, twice] })
    expect(explanations[0]!.title).toBe('Prove wallet ownership for billing')
    const { params } = asked.find(({ method }) => method === 'eth_signTypedData_v4')!
    const [, given] = params as [string, string]
    expect(given).not.toContain('ConvertAccount')
    expect(JSON.parse(given)).toEqual(proof())
  })

  it('switches to the chain of the accounts only', async () => {
    const change = (chainId: string) =>
      guarded.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    await change('0x7a69')
    await expect(change('0x1')).rejects.toMatchObject({ code: 4200 })
    expect(asked).toHaveLength(1)
  })

  it('stops waiting for a silent wallet on request, and reports a late transaction', async () => {
    const answer = Promise.withResolvers<unknown>()
    wallet.answer = () => answer.promise
    consent.untilStopped = (what) =>
      what === 'Remove a group' ? Promise.resolve() : new Promise(() => {})
    // The error has no code, because the client must not claim that nothing was sent.
    await expect(send(removal())).rejects.not.toHaveProperty('code')
    answer.resolve('0xlate')
    await expect.poll(() => sent).toMatchObject([{ transaction: '0xlate', isLate: true }])
  })
})
