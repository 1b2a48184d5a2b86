import {
  ActionFailed,
  type ApiClient,
  createClient,
  Forbidden,
  Unauthorized,
} from '../../../shared/client/index.ts'
import type { Case } from './case.ts'
import { failsAs, isSame, isTrue } from './claims.ts'

const ADDS = 'function main({ a, b }) { console.log("adding"); return { sum: a + b } }'
const THROWS = 'function main() { console.log("before"); throw new Error("not today") }'

/** A client with a usage key that is permitted to run any action. */
async function runner(client: ApiClient, baseUrl: string, triggersUrl: string, sealedVia?: 'edge') {
  await client.newAccount({ account_name: 'suite' })
  const all = '0x' + '0'.repeat(64)
  const { group_id } = await client.addGroup({ group_name: 'any', cid_hashes_permitted: [all] })
  const key = await client.addUsageApiKey({ name: 'runner', execute_in_groups: [group_id] })
  const apiKey = key.usage_api_key
  const { verification } = client
  return createClient({
    baseUrl,
    triggersUrl,
    verification,
    apiKey,
    ...(sealedVia && { sealedVia }),
  })
}

export const actionCases: Case[] = [
  {
    name: 'an action is run as soon as its key may run it',
    async run(client, { baseUrl, triggersUrl }) {
      const running = await runner(client, baseUrl, triggersUrl)
      const call = () =>
        running.svcAction<{ sum: number }>({ code: ADDS, js_params: { a: 2, b: 3 } })
      const answer = await client.waitUntilPermitted(call)
      isSame(answer.response, { sum: 5 }, 'the response')
      isSame(answer.logs, 'adding', 'the logs')
      isSame(answer.action_cid, await client.getSvcActionIpfsId(ADDS), 'the CID')
    },
  },
  {
    name: 'a sealed action answers as a plain one does',
    async run(client, { baseUrl, triggersUrl }) {
      const running = await runner(client, baseUrl, triggersUrl)
      const call = { code: ADDS, js_params: { a: 2, b: 3 } }
      const plain = await client.waitUntilPermitted(() => running.svcAction(call))
      const sealed = await running.svcAction(call, { sealed: true })
      isSame(Object.keys(sealed).toSorted(), Object.keys(plain).toSorted(), 'the fields')
      const sameIn = ({ response, logs, action_cid }: typeof plain) => [response, logs, action_cid]
      isSame(sameIn(sealed), sameIn(plain), 'what they say')
      isTrue(sealed.receipt !== plain.receipt, 'each has a receipt of its own')
    },
  },
  {
    name: 'a sealed action goes through the edge as well',
    async run(client, { baseUrl, triggersUrl }) {
      const running = await runner(client, baseUrl, triggersUrl, 'edge')
      const call = () =>
        running.svcAction({ code: ADDS, js_params: { a: 1, b: 1 } }, { sealed: true })
      isSame((await client.waitUntilPermitted(call)).response, { sum: 2 }, 'the response')
    },
  },
  {
    name: 'an action that throws is ActionFailed, plain or sealed, with its message and logs',
    async run(client, { baseUrl, triggersUrl }) {
      const running = await runner(client, baseUrl, triggersUrl)
      await client.waitUntilPermitted(() =>
        running.svcAction({ code: ADDS, js_params: { a: 1, b: 1 } }),
      )
      for (const sealed of [false, true]) {
        const failure = await failsAs(ActionFailed, running.svcAction({ code: THROWS }, { sealed }))
        const { code, status, message, logs, receipt } = failure
        isSame([code, status, logs], ['action_threw', 500, 'before'], `sealed: ${sealed}`)
        isTrue(message.includes('not today'), `the message is the action’s: ${message}`)
        isTrue(receipt !== undefined, 'it has a receipt')
      }
    },
  },
  {
    name: 'a sealed call is refused by the same classes as a plain one',
    async run(client, { baseUrl, triggersUrl }) {
      await client.newAccount({ account_name: 'suite' })
      const { usage_api_key: apiKey } = await client.addUsageApiKey({ name: 'none' })
      const { verification } = client
      const none = createClient({ baseUrl, triggersUrl, verification, apiKey })
      const nobody = createClient({
        baseUrl,
        triggersUrl,
        verification,
        apiKey: `${'A'.repeat(43)}=`,
      })
      for (const sealed of [false, true]) {
        const forbidden = await failsAs(Forbidden, none.svcAction({ code: ADDS }, { sealed }))
        isSame([forbidden.status, forbidden.code], [403, 'forbidden'], `sealed: ${sealed}`)
        await failsAs(Unauthorized, nobody.svcAction({ code: ADDS }, { sealed }))
      }
    },
  },
]
