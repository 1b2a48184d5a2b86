/**
 * Follows "Loss of all machines" in docs/backup.md. Each machine gets its root key from the KMS double, as under dstack.
 * The origin itself runs with simulated quotes.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { selectTee } from '../../../origin/tee/select-tee.ts'
import { startGuestAgent } from '../../doubles/guest-agent.ts'
import { startEdgeOf } from '../../system/edge-of-origins.ts'
import { type OriginProcess, startOrigins } from '../../system/origins.ts'
import { newOwner } from '../../system/owner.ts'
import type { Figures } from '../figures.ts'
import { secondsSince } from './load.ts'

const APP_COMPOSE = JSON.stringify({
  docker_compose_file: 'services:\n  origin:\n    environment:\n      - SVC_ENV=production\n',
})
const WALLETS = 10
const SECRET = 'kept for the next machine'

const ENCRYPT = `async function main({ pkpId, text }) {
  return Svc.Actions.encrypt({ pkpId, message: text })
}`
const DECRYPT = `async function main({ pkpId, ciphertext }) {
  return Svc.Actions.decrypt({ pkpId, ciphertext })
}`
const ADDRESS = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).address
}`

type Wallet = { wallet_address: string; pkp_id: string }

export async function loseMachines(): Promise<Figures> {
  const kmsKey = randomBytes(32)
  const world = await startOrigins(1, { rootKey: () => rootKeyOfNewMachine(kmsKey) })
  let edge: Awaited<ReturnType<typeof startEdgeOf>> | undefined
  try {
    edge = await startEdgeOf(world)
    const [lost] = world.origins
    const account = await lost!.ok('new_account', {
      body: { account_name: 'kept', account_description: '' },
    })
    const key: string = account.api_key
    const act = async (origin: OriginProcess, code: string, js_params: object) =>
      (await origin.ok('svc_action', { key, body: { code, js_params } })).response
    const wallets: Wallet[] = []
    for (let n = 0; n < WALLETS; n++)
      wallets.push(await lost!.ok('create_wallet', { key, body: {} }))
    const { pkp_id: pkpId } = wallets[0]!
    const anyAction = {
      group_name: 'any action',
      pkp_ids_permitted: wallets.map(({ pkp_id }) => pkp_id),
      cid_hashes_permitted: ['0'],
    }
    await lost!.ok('add_group', { key, body: anyAction })
    const ciphertext = await act(lost!, ENCRYPT, { pkpId, text: SECRET })
    const owner = await newOwner(edge)
    // Its usage key is sealed to a key that is derived from the root key.
    const trigger = await owner.createTrigger('async function main({ event }) { return event.n }')
    const keyedCall = { key, body: { code: 'const main = () => Math.random()', js_params: {} } }
    const idempotencyKey = randomBytes(16).toString('hex')
    const stored = await lost!.call('svc_action', { ...keyedCall, idempotencyKey })

    const lostAt = performance.now()
    await lost!.kill()
    rmSync(lost!.stateDir, { recursive: true })
    const next = await world.add()
    await next.start()
    edge.use([next])
    const runId = await owner.fire(trigger.webhook_url, { n: 7 })
    const runs = await owner.allEnded(trigger.id, 120)
    expect(runs).toMatchObject([{ id: runId, status: 'success', response: 7 }])
    const seconds = secondsSince(lostAt)

    for (const { pkp_id, wallet_address } of wallets)
      expect(await act(next, ADDRESS, { pkpId: pkp_id })).toBe(wallet_address)
    expect(await act(next, DECRYPT, { pkpId, ciphertext })).toBe(SECRET)
    const repeated = await next.call('svc_action', { ...keyedCall, idempotencyKey })
    expect(repeated).toMatchObject({ status: 200, replayed: true, body: stored.body })
    return { 'wallets kept': wallets.length, 'max seconds until a run is executed': seconds }
  } finally {
    await edge?.close()
    await world.close()
  }
}

/** Starts a machine of the same application, and requests its root key as the origin does. */
async function rootKeyOfNewMachine(kmsKey: Buffer): Promise<Uint8Array> {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-machine-'))
  const agent = await startGuestAgent(APP_COMPOSE, { kmsKey })
  try {
    const settings = {
      SVC_ENV: 'production' as const,
      SVC_TEE: 'dstack' as const,
      SVC_APP_COMPOSE_FILE: undefined,
      SVC_APP_ID: undefined,
      SVC_SIM_ROOT_SHA256: undefined,
      SVC_KMS_ROOT: agent.kmsRoot.toString('hex'),
      SVC_PCCS_URL: 'http://127.0.0.1:1',
    }
    const { socketPath } = agent
    const { rootKey } = await selectTee({
      settings,
      stateDir,
      now: Date.now,
      log: () => {},
      socketPath,
    })
    return rootKey
  } finally {
    await agent.close()
    rmSync(stateDir, { recursive: true, force: true })
  }
}
