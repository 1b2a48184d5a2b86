/** In-memory local stack: a core API and a trigger service, with the file in which a stack publishes its addresses. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerResponse } from 'node:http'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { startTriggerApi } from './trigger-api.ts'
import { type Received, startWebServer } from './web-server.ts'

export type ActionCall = { key: string; code: string; params: any }

/**
 * Accepts the keys that it created, and runs actions like the double of the trigger service: they return `{ echo: event }`, or
 * throw if the event has `fail`.
 * @param stateDir folder in which `stack.json` is written
 */
export async function startLocalStack(stateDir: string) {
  const accounts = new Set<string>()
  const usageKeys: { name: string; key: string; groups: number[] }[] = []
  const groups: object[] = []
  const calls: ActionCall[] = []
  /** Problems of the next calls of `svc_action`, in order. */
  const faults: ('lost' | 'unavailable' | 'forbidden')[] = []
  const core = await startWebServer((request, response) => answer(request, response))

  function answer(request: Received, response: ServerResponse): void {
    const key = String(request.headers['x-api-key'] ?? bearerOf(request))
    const body = request.body === '' ? {} : JSON.parse(request.body)
    switch (new URL(request.url, 'http://localhost').pathname.slice('/core/v1/'.length)) {
      case 'account_exists':
        return send(response, 200, accounts.has(key))
      case 'new_account': {
        const api_key = newKey()
        accounts.add(api_key)
        return send(response, 200, { api_key, wallet_address: '0x00' })
      }
      case 'list_api_keys':
        return send(
          response,
          200,
          usageKeys.map((one) => ({ name: one.name, api_key_hash: apiKeyHash(one.key) })),
        )
      case 'add_group':
        groups.push(body)
        return send(response, 200, { success: true, group_id: groups.length })
      case 'add_usage_api_key': {
        const usage_api_key = newKey()
        usageKeys.push({ name: body.name, key: usage_api_key, groups: body.execute_in_groups })
        return send(response, 200, { usage_api_key })
      }
      case 'svc_action':
        return run(key, body, response)
      default:
        return send(response, 404, refusal('not_found'))
    }
  }

  function run(key: string, body: any, response: ServerResponse): void {
    const fault = faults.shift()
    if (fault === 'unavailable') return send(response, 503, refusal('unavailable'))
    if (fault === 'forbidden') return send(response, 403, refusal('forbidden'))
    calls.push({ key, code: body.code, params: body.js_params })
    if (fault === 'lost') return void response.socket?.destroy()
    const { event } = body.js_params
    if (event?.fail === undefined)
      return send(response, 200, { response: { echo: event }, logs: 'seen\n', has_error: false })
    response.setHeader('x-svc-error', 'action_threw')
    send(response, 500, `Error: ${event.fail}\n    at main (action.ts:3:5)\n\nlogs:\nseen`)
  }

  const triggers = await startTriggerApi()
  mkdirSync(stateDir, { recursive: true })
  const addresses = {
    base_url: `http://localhost:${core.port}`,
    triggers_url: triggers.url,
    chain_rpc: 'http://localhost:1',
    dns_server: '127.0.0.1:1',
    ca_file: join(stateDir, 'ca.pem'),
  }
  writeFileSync(addresses.ca_file, 'PEM')
  writeFileSync(join(stateDir, 'stack.json'), JSON.stringify({ addresses }))
  return {
    baseUrl: addresses.base_url,
    triggers,
    received: core.received,
    accounts,
    usageKeys,
    groups,
    calls,
    faults,
    close: () => Promise.all([core.close(), triggers.close()]),
  }
}

const newKey = () => randomBytes(32).toString('base64')

const bearerOf = ({ headers }: Received) =>
  String(headers['authorization'] ?? '').replace('Bearer ', '')

const refusal = (error: string) => ({ error, message: `refused: ${error}`, fix: 'Do this.' })

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
  response.end(JSON.stringify(body))
}
