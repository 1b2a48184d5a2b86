import { ECHO, THROW } from '../action-sources.ts'
import { hold, refusal, same } from '../hold.ts'
import type { Journey } from '../world.ts'

const ACTION = '/core/v1/svc_action'

export const errors: Journey[] = [
  {
    name: 'a key of no account is 401, and so are a cut one and none at all',
    needs: ['accounts', 'actions', 'errors'],
    async run({ core }, world) {
      const { apiKey } = await world.account()
      const unknown = Buffer.alloc(32, 9).toString('base64')
      const body = JSON.stringify({ code: ECHO, js_params: {} })
      const attempts: Record<string, string>[] = [
        { 'x-api-key': unknown },
        { authorization: `Bearer ${unknown}` },
        { 'x-api-key': apiKey.slice(0, -6) },
        {},
      ]
      for (const headers of attempts) {
        const error = await refusal(() => core.raw('POST', ACTION, headers, body), 'is 401', 401)
        same(error.shape, 'structured', 'auth errors are structured')
      }
    },
  },
  {
    name: 'a body that is no JSON is 400',
    needs: ['accounts', 'actions', 'errors'],
    async run({ core }, world) {
      const headers = { 'x-api-key': (await world.account()).apiKey }
      for (const [path, given] of [
        [ACTION, headers],
        ['/core/v1/new_account', {}],
        ['/core/v1/get_svc_action_ipfs_id', {}],
      ] as const) {
        const error = await refusal(() => core.raw('POST', path, given, '{"a":'), path, 400)
        same(error.shape, 'structured', 'errors of body parsing are structured')
      }
    },
  },
  {
    name: 'JSON that does not match the schema is 422',
    needs: ['accounts', 'actions', 'errors'],
    async run({ core }, world) {
      const headers = { 'x-api-key': (await world.account()).apiKey }
      for (const body of ['{"js_params":{}}', '{"code":7,"js_params":{}}', '[]', '"text"']) {
        const call = () => core.raw('POST', ACTION, headers, body)
        const error = await refusal(call, `svc_action ${body}`, 422)
        same(error.shape, 'structured', 'errors of body parsing are structured')
      }
      await refusal(() => core.raw('POST', '/core/v1/new_account', {}, '{}'), 'new_account {}', 422)
    },
  },
  {
    name: 'what is not there is 404, in JSON',
    needs: ['errors'],
    async run({ core }) {
      for (const path of ['/core/v1/no_such_thing', '/no/such/thing']) {
        const error = await refusal(() => core.raw('GET', path), `GET ${path}`, 404)
        same(error.shape, 'structured', 'routing errors are structured')
      }
    },
  },
  {
    name: 'the error of an action that throws is a JSON string with its message',
    needs: ['accounts', 'groups', 'usage-keys', 'actions', 'errors'],
    async run({ core }, world) {
      const key = await world.anyActionKey()
      const call = () => core.svcAction(key, THROW, { where: 'Uri' })
      const error = await refusal(call, 'a thrown error is no success')
      same(error.shape, 'message', 'an execution error is a JSON string')
      hold(String(error.body).includes('the sky fell on Uri'), 'it holds the message')
    },
  },
  {
    name: 'without credits a metered call is 402, an unknown key still 401',
    needs: ['accounts', 'actions', 'errors', 'billing', 'no-starter-credits'],
    async run({ core }, world) {
      const poor = await world.newAccount('has no credits')
      same((await core.balance(poor.apiKey)).cents, 0, 'a new account has nothing')
      await refusal(() => core.createWallet(poor.apiKey), 'nothing to pay with', 402)
      await refusal(() => core.svcAction(poor.apiKey, ECHO), 'nothing to pay with', 402)
      const unknown = Buffer.alloc(32, 9).toString('base64')
      await refusal(() => core.svcAction(unknown, ECHO), 'never 402', 401)
    },
  },
]
