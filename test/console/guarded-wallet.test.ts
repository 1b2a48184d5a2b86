import { FunctionFragment, Interface } from 'ethers'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { CONTRACT_CALLS } from '../../edge/console/chain-secured/contract-calls.ts'
import type { Consent, Explanation } from '../../edge/console/chain-secured/explanation.ts'
import type { Place } from '../../edge/console/chain-secured/explain-transaction.ts'
import { guardedProvider } from '../../edge/console/chain-secured/guarded-provider.ts'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import type { Eip1193Provider } from '../../shared/client/sovereign/signer.ts'
import { accountHashOfWallet, PURPOSES, typedDataOf } from '../../shared/typed-data.ts'

const ADMIN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const PLACE: Place = {
  chainId: 31_337n,
  contractAddress: CONTRACT,
  chainName: 'the test chain',
  token: 'ETH',
}
const NOW = 1_700_000_000_000
const WORD = `0x${'12'.repeat(32)}`
const contract = new Interface(accountConfigAbi)
const KEY = ['runner', '', false, false, true, [], [], [], [3]]

/** What an admin may call, without the hash of the account, which goes first. */
const CALLS: Record<string, unknown[]> = {
  transferChainSecuredAccountOwnership: [OTHER],
  registerWalletDerivation: [WORD, WORD, 'hot', ''],
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

describe('a wallet behind the guard', () => {
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
      explained: async (explanation) => void explanations.push(explanation),
      asked: () => {},
      ended: () => {},
      sent: (what) => void sent.push(what),
      stopped: () => new Promise(() => {}),
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
      // Each test's own consent.
      consent: {
        explained: (explanation) => consent.explained(explanation),
        asked: () => consent.asked(),
        ended: () => consent.ended(),
        sent: (what) => consent.sent(what),
        stopped: (what, answered) => consent.stopped(what, answered),
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

  it('explains whatever an admin can call', async () => {
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
    expect(said.Costs).toBe('gas, up to 200,000 units: about 0.0002 ETH at most')
    expect(explanation.title).toMatch(/^[A-Z]/)
    expect(explanation.undo).toMatch(/\.$/)
  })

  it('names the arguments as they are in the bytes', async () => {
    await send(transaction('updateUsageApiKey', [ACCOUNT, ...CALLS.updateUsageApiKey!]))
    expect(explanations[0]!.facts[0]).toEqual(['May run the actions of', 'group 3'])
    await send(transaction('transferChainSecuredAccountOwnership', [ACCOUNT, OTHER]))
    expect(explanations[1]!.facts[0]).toEqual(['New admin', OTHER])
    expect(explanations[1]!.forEver).toBe(true)
  })

  it('says that every action and every wallet is permitted, in these words', async () => {
    const zero = `0x${'0'.repeat(64)}`
    await send(transaction('addGroup', [ACCOUNT, 'all', '', [zero], [0]]))
    expect(Object.fromEntries(explanations[0]!.facts)).toMatchObject({
      Wallets: 'every wallet of the account, later ones too',
      Actions: 'every action, whoever wrote it',
    })
  })

  it('smuggling: every wallet or action among hundreds is said, and not cut off behind them', async () => {
    const zero = `0x${'0'.repeat(64)}`
    const many = Array.from(
      { length: 100 },
      (_, i) => `0x${(i + 1).toString(16).padStart(64, '0')}`,
    )
    await send(transaction('addGroup', [ACCOUNT, 'a few', '', [...many, zero], [...many, 0]]))
    expect(Object.fromEntries(explanations[0]!.facts)).toMatchObject({
      Wallets: 'every wallet of the account, later ones too',
      Actions: 'every action, whoever wrote it',
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
  ])('smuggling: nothing is sent where %s', async (_, change) => {
    await isRefused(send(removal(change)))
    expect(explanations).toEqual([])
  })

  it('smuggling: a write of somebody else’s account is not sent', async () => {
    await isRefused(send(transaction('removeGroup', [accountHashOfWallet(OTHER), 3])))
  })

  it('smuggling: what an owner or a payer calls is not sent', async () => {
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
  ])('smuggling: no wallet is asked for %s', async (method) => {
    await isRefused(guarded.request({ method, params: ['0x00', ADMIN] }))
    expect(asked).toEqual([])
  })

  it('a transaction that is changed while it is read is sent as it was explained', async () => {
    const given = removal()
    consent.explained = async () => void (given.to = OTHER)
    await send(given)
    expect(asked.find(({ method }) => method === 'eth_sendTransaction')?.params).toEqual([
      removal(),
    ])
  })

  it('a wallet that changes its address while it is explained is not asked', async () => {
    consent.explained = async () => void (wallet.accounts = [OTHER])
    await isRefused(send(removal()))
  })

  it('a wallet that changes its chain while it is explained is not asked', async () => {
    consent.explained = async () => void (wallet.chainId = '0x1')
    await isRefused(send(removal()))
  })

  it('what the person refuses on the page is asked of no wallet', async () => {
    consent.explained = () => Promise.reject(Object.assign(new Error('no'), { code: 4001 }))
    await isRefused(send(removal()))
    await isRefused(sign(proof()))
  })

  test.each(PURPOSES)('explains the proof %s, and until when it is good', async (purpose) => {
    await sign(proof({ purpose }))
    const [{ facts, kind }] = explanations as [Explanation]
    expect(kind).toBe('proof')
    expect(Object.fromEntries(facts)).toMatchObject({
      Statement: `${purpose} of Svc ChainSecured`,
      Wallet: ADMIN,
      'Good until': '2023-11-14 22:18:20 UTC',
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
    ['with a member more', { ...proof(), message: { ...proof().message, spender: OTHER } }],
    ['of another type', { ...proof(), primaryType: 'Permit' }],
  ])('smuggling: a proof %s is not signed', async (_, given) => {
    await isRefused(sign(given))
  })

  it('smuggling: of a member that is there twice the wallet is given the one that was explained', async () => {
    const twice = `{"primaryType":"ConvertAccount",${JSON.stringify(proof()).slice(1)}`
    await guarded.request({ method: 'eth_signTypedData_v4', params: [ADMIN, twice] })
    expect(explanations[0]!.title).toBe('Prove your wallet, for billing')
    const { params } = asked.find(({ method }) => method === 'eth_signTypedData_v4')!
    const [, given] = params as [string, string]
    expect(given).not.toContain('ConvertAccount')
    expect(JSON.parse(given)).toEqual(proof())
  })

  it('changes to the chain of the accounts, and to no other', async () => {
    const change = (chainId: string) =>
      guarded.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    await change('0x7a69')
    await expect(change('0x1')).rejects.toMatchObject({ code: 4200 })
    expect(asked).toHaveLength(1)
  })

  it('a wallet that never answers is waited for no longer than one wants, and what it sends later is told', async () => {
    const answer = Promise.withResolvers<unknown>()
    wallet.answer = () => answer.promise
    consent.stopped = (what) =>
      what === 'Remove a group' ? Promise.resolve() : new Promise(() => {})
    // Without a code: the client must leave open whether it was sent.
    await expect(send(removal())).rejects.not.toHaveProperty('code')
    answer.resolve('0xlate')
    await expect.poll(() => sent).toMatchObject([{ transaction: '0xlate', isLate: true }])
  })
})
