/** Wallet policies in both modes of the client, at a real origin and chain. */
import { afterAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../shared/client/client.ts'
import { fetchFrom, sovereignAt, wire } from '../../origin/client/client-of.ts'
import { policyOf } from '../policies/requests.ts'
import { failureOf, sleep, startAdmins } from './admins.ts'

const { origin, node, clientOf, SIGNERS, converted, close } = await startAdmins()
afterAll(close)

const greeter = (prefix: string, others: object = {}) => ({
  version: 1,
  ...others,
  rules: [{ name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix }] }],
})
const GREETER = greeter('greetings, ', { change_delay_s: 3600 })
const TIGHTER = greeter('greetings, Ada', { change_delay_s: 3600 })
const hashOf = (policy: object) => policyOf(policy).hash

const SIGN = `const main = ({ pkpId, message }) =>
  message ? Svc.Actions.signMessage({ pkpId, message }) : Svc.Actions.getPrivateKey({ pkpId })`

const sentBy = ({ steps }: ReturnType<typeof clientOf>) =>
  steps.filter(({ step }) => step === 'sent').length

async function apiClient() {
  const apiKey = await origin.account()
  const { baseUrl, verify, fetch, now, random } = sovereignAt(origin)
  return createClient({ baseUrl, verify, fetch, now, random, sleep, apiKey })
}

const MODES = {
  'API mode': apiClient,
  'ChainSecured mode with a signer of ethers': async () =>
    (await converted(SIGNERS['a signer of ethers'])).client,
  'ChainSecured mode with an EIP-1193 provider': async () =>
    (await converted(SIGNERS['an EIP-1193 provider'])).client,
}

describe.each(Object.entries(MODES))('in %s, the client', (_, start) => {
  it('creates a wallet with a policy, reads and simulates it, and changes it', async () => {
    const client = await start()
    const plain = await client.createWallet()
    expect(plain).not.toHaveProperty('policy_hash')
    const { pkp_id, wallet_address, policy_hash } = await client.createWallet({ policy: GREETER })
    expect(policy_hash).toBe(hashOf(GREETER))
    const listed = await client.listWallets().all()
    expect(listed.map((wallet) => [wallet.pkp_id, wallet.policy_hash])).toEqual([
      [plain.pkp_id, undefined],
      [pkp_id, policy_hash],
    ])

    const simulate = (message: string) =>
      client.simulateSignature({ pkp_id, request: { kind: 'message', message } })
    expect(await simulate('greetings, Ada')).toMatchObject({ decision: 'allow', rule: 'greet' })
    expect(await simulate('farewell')).toMatchObject({
      decision: 'deny',
      code: 'message_not_allowed',
      policy_hash,
    })

    const tightened = await client.setWalletPolicy({ pkp_id: wallet_address, policy: TIGHTER })
    expect(tightened).toEqual({
      wallet_address,
      pkp_id,
      policy_hash: hashOf(TIGHTER),
      pending: null,
    })
    const replaced = { pkp_id, policy: GREETER, replaces: hashOf(GREETER) }
    const conflict = { name: expect.stringMatching(/^(Conflict|TransactionReverted)$/) }
    expect(await failureOf(client.setWalletPolicy(replaced))).toMatchObject(conflict)

    const loosened = await client.setWalletPolicy({ pkp_id, policy: GREETER })
    expect(loosened).toMatchObject({
      policy_hash: hashOf(TIGHTER),
      pending: { policy_hash: hashOf(GREETER) },
    })
    expect(await client.getWalletPolicy({ pkp_id })).toMatchObject({
      policy_hash: hashOf(TIGHTER),
      policy: TIGHTER,
      pending: { ...loosened.pending, policy: GREETER },
      sums: [],
    })
  })

  it('creates a wallet whose key no action can get', async () => {
    const client = await start()
    const { pkp_id } = await client.createWallet({ policy: GREETER })
    const { group_id } = await client.addGroup({ group_name: 'g', pkp_ids_permitted: [pkp_id] })
    const action_ipfs_cid = await client.getSvcActionIpfsId(SIGN)
    await client.addActionToGroup({ group_id, action_ipfs_cid })
    const key = await client.addUsageApiKey({ name: 'k', execute_in_groups: [group_id] })
    const run = (params: object) =>
      origin.run(key.usage_api_key, SIGN, { pkpId: pkp_id, ...params })
    expect((await run({ message: 'greetings, Ada' })).body.response).toMatch(/^0x[0-9a-f]{130}$/)
    expect((await run({})).status).toBe(500)
    expect((await run({ message: 'farewell' })).status).toBe(500)
  })

  it('rejects an invalid policy with the path of the problem', async () => {
    const client = await start()
    const policy = { ...GREETER, rules: [{ ...GREETER.rules[0], kind: 'none' }] }
    const { pkp_id } = await client.createWallet({ policy: GREETER })
    const path = 'rules[0].kind: '
    expect((await failureOf(client.createWallet({ policy }))).message).toContain(path)
    expect((await failureOf(client.setWalletPolicy({ pkp_id, policy }))).message).toContain(path)
  })
})

it('rejects a change of an immutable policy, or of another policy, before the admin wallet is asked', async () => {
  const { client } = await converted(SIGNERS['a signer of ethers'])
  const { pkp_id } = await client.createWallet({ policy: { ...GREETER, immutable: true } })
  const { pkp_id: changed } = await client.createWallet({ policy: GREETER })
  const { pkp_id: plain } = await client.createWallet()
  const asked = client.steps.length
  for (const [fields, errorName] of [
    [{ pkp_id }, 'PolicyIsImmutable'],
    [{ pkp_id: changed, replaces: hashOf(TIGHTER) }, 'PolicyChanged'],
    [{ pkp_id: plain }, 'WalletHasNoPolicy'],
  ] as const)
    expect(await failureOf(client.setWalletPolicy({ policy: TIGHTER, ...fields }))).toMatchObject({
      name: 'TransactionReverted',
      errorName,
    })
  expect(client.steps).toHaveLength(asked)
})

it('rejects an invalid policy before the admin wallet is asked', async () => {
  const { client } = await converted(SIGNERS['a signer of ethers'])
  const refused = await failureOf(client.createWallet({ policy: { version: 2 } }))
  expect(refused).toMatchObject({ name: 'InvalidArgument', field: 'policy' })
  expect(client.steps).toEqual([])
})

/** Starts a client whose service changes its responses to one operation after `lie` was called. */
async function deceived(operation: string, change: (answer: any) => object) {
  const { admin } = await converted(SIGNERS['a signer of ethers'])
  let isLying = false
  const network: typeof fetch = async (input, init) => {
    const answer = await fetchFrom(origin, wire)(input, init)
    const { pathname } = new URL(new Request(input, init).url)
    const isChanged = isLying && answer.ok && pathname.endsWith(`/${operation}`)
    return isChanged ? Response.json(change(await answer.json())) : answer
  }
  const client = clientOf(admin.connect(node), {
    fetch: network,
    // The client waits up to 10 s for a block that it believes the service has not seen.
    sleep: (ms, signal) => sleep(Math.min(ms, 25), signal),
  })
  return { client, lie: () => void (isLying = true) }
}

describe('attack: a service that states other terms than those of the policy', () => {
  it.each([
    ['policy_hash', hashOf(greeter('farewell, '))],
    ['change_delay_s', 0],
    ['is_immutable', true],
  ])('%s: nothing is sent to the chain', async (field, value) => {
    const change = (answer: object) => ({ ...answer, [field]: value })
    const refused = { name: 'NotTheApi', message: expect.stringContaining(field) }
    const creating = await deceived('create_wallet_with_signature', change)
    creating.lie()
    const created = await failureOf(creating.client.createWallet({ policy: GREETER }))
    expect(created).toMatchObject(refused)
    expect(sentBy(creating.client)).toBe(0)

    const { client, lie } = await deceived('set_wallet_policy_with_signature', change)
    const { pkp_id } = await client.createWallet({ policy: GREETER })
    lie()
    const set = await failureOf(client.setWalletPolicy({ pkp_id, policy: TIGHTER }))
    expect(set).toMatchObject(refused)
    expect(sentBy(client)).toBe(1)
  })

  it('at_once for a change that loosens: the contract rejects it', async () => {
    const change = (answer: object) => ({ ...answer, at_once: true })
    const { client, lie } = await deceived('set_wallet_policy_with_signature', change)
    const { pkp_id } = await client.createWallet({ policy: TIGHTER })
    lie()
    const refused = await failureOf(client.setWalletPolicy({ pkp_id, policy: GREETER }))
    const errorName = 'PolicyNotAttested'
    expect(refused).toMatchObject({ name: 'TransactionReverted', errorName })
    expect(sentBy(client)).toBe(1)
  })
})

describe('attack: a service that shows another policy than the contract records', () => {
  it.each([
    ['with its hash', { policy: TIGHTER, policy_hash: hashOf(TIGHTER) }],
    ['under the hash in the contract', { policy: TIGHTER }],
    [
      'as pending',
      { pending: { policy: TIGHTER, policy_hash: hashOf(TIGHTER), effective_at: '' } },
    ],
  ])('%s: the client rejects it', async (_, changed) => {
    const change = (answer: object) => ({ ...answer, ...changed })
    const { client, lie } = await deceived('get_wallet_policy', change)
    const { pkp_id } = await client.createWallet({ policy: GREETER })
    expect((await client.getWalletPolicy({ pkp_id })).policy).toEqual(GREETER)
    lie()
    expect(await failureOf(client.getWalletPolicy({ pkp_id }))).toMatchObject({ name: 'NotTheApi' })
  })
})
