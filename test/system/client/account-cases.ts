import {
  NotFound,
  createClient,
  Unauthorized,
  Unprocessable,
} from '../../../shared/client/index.ts'
import type { Case } from './case.ts'
import { failsAs, isSame, isTrue } from './claims.ts'

export const accountCases: Case[] = [
  {
    name: 'an account is opened, and known by its key from then on',
    async run(client) {
      const { api_key } = await client.newAccount({ account_name: 'suite' })
      isTrue(api_key.length === 44, 'the key is 32 bytes in base64')
      isSame(await client.accountExists(), true, 'the account of the client')
    },
  },
  {
    name: 'a wallet is made, put into a group, and found in it',
    async run(client) {
      await client.newAccount({ account_name: 'suite' })
      const { wallet_address } = await client.createWallet()
      const { group_id } = await client.addGroup({ group_name: 'wallets' })
      await client.addPkpToGroup({ group_id, pkp_id: wallet_address })
      const [found] = await client.listWalletsInGroup({ group_id }).all()
      isSame(found?.wallet_address, wallet_address, 'the wallet of the group')
    },
  },
  {
    name: 'a list is read over its pages, each item once',
    async run(client) {
      await client.newAccount({ account_name: 'suite' })
      const hashes = Array.from(
        { length: 3 },
        (_one, at) => `0x${(at + 1).toString(16).padStart(64, '0')}`,
      )
      for (const hash of hashes)
        await client.addGroup({ group_name: hash, cid_hashes_permitted: [hash] })
      const read: string[] = []
      for await (const { name } of client.listGroups()) read.push(name)
      isSame(read.toSorted(), hashes, 'the names of the groups')
    },
  },
  {
    name: 'a usage key may do what it was given, and nothing of the account',
    async run(client, { baseUrl }) {
      await client.newAccount({ account_name: 'suite' })
      const { verification } = client
      const { usage_api_key } = await client.addUsageApiKey({ name: 'reader' })
      const reader = createClient({ baseUrl, verification, apiKey: usage_api_key })
      const refused = await reader.addGroup({ group_name: 'no' }).then(
        () => undefined,
        (error: unknown) => error,
      )
      isSame(Reflect.get(Object(refused), 'status'), 403, 'the status of the refusal')
      const [listed] = await client.listApiKeys().all()
      isSame(listed?.name, 'reader', 'the key in the list')
    },
  },
  {
    name: 'a key of nobody is Unauthorized, with what to do and the request’s id',
    async run({ verification }, { baseUrl }) {
      const nobody = createClient({ baseUrl, verification, apiKey: `${'A'.repeat(43)}=` })
      const failure = await failsAs(Unauthorized, nobody.listWallets().all())
      isSame([failure.status, failure.code], [401, 'unauthorized'], 'status and code')
      isTrue(failure.fix !== '' && failure.requestId !== undefined, 'it has a fix and a request id')
    },
  },
  {
    name: 'a value of another shape is Unprocessable, and the message names the field',
    async run(client) {
      await client.newAccount({ account_name: 'suite' })
      const wrong = { group_name: 7 as unknown as string }
      const failure = await failsAs(Unprocessable, client.addGroup(wrong))
      isTrue(failure.message.includes('group_name'), `the message names it: ${failure.message}`)
    },
  },
  {
    name: 'what another call has taken away is NotFound',
    async run(client) {
      await client.newAccount({ account_name: 'suite' })
      const { group_id } = await client.addGroup({ group_name: 'one' })
      await client.removeGroup({ group_id })
      await failsAs(NotFound, client.getGroup({ group_id }))
    },
  },
  {
    name: 'a call that is given up ends with the caller’s own reason',
    async run(client) {
      const giveUp = new AbortController()
      const reason = new Error('enough')
      const call = client.newAccount({ account_name: 'suite' }, { signal: giveUp.signal })
      giveUp.abort(reason)
      const failure = await failsAs(Error, call)
      isSame(failure.message, 'enough', 'the reason')
    },
  },
]
