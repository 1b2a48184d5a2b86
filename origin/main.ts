/** The origin's main process: puts the pieces together, serves, and stops in order. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { serve } from '@hono/node-server'
import { connectChain } from './accounts/chain.ts'
import { AccountsMirror } from './accounts/mirror.ts'
import { AccountsWriter } from './accounts/writer.ts'
import { createActionPool } from './actions/pool.ts'
import { createApp } from './app.ts'
import { keyIdOf } from './channel/open-request.ts'
import { openDatabase } from './db/open.ts'
import { parseSettings } from './env.ts'
import { loadRootKey } from './keys/root-file.ts'
import { Keyring } from './keys/keyring.ts'
import { Lifecycle } from './lifecycle.ts'
import { jsonLog } from './log.ts'
import { HEARTBEAT_MS, RunClaims } from './runs/claims.ts'
import { Executions } from './runs/executions.ts'
import { loadTls } from './tls.ts'

/** Longer than any client of ours keeps an idle connection: the side that sends must never meet a closed one. */
const KEEP_ALIVE_MS = 120_000

const now = Date.now
const log = jsonLog((line) => process.stdout.write(line), now)
const lifecycle = new Lifecycle()

async function start(): Promise<void> {
  requireNoInspector(process.execArgv)
  const settings = parseSettings(process.env)
  const stateDir = resolve(settings.SVC_STATE_DIR)
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const keyring = new Keyring(loadRootKey(stateDir, settings.SVC_ENV))

  const pool = createActionPool({
    min: settings.SVC_EXECUTORS_MIN,
    max: settings.SVC_EXECUTORS_MAX,
  })
  lifecycle.onClose('actions', () => pool.close())
  const executorsReady = pool.ready()

  const [database, chain] = await Promise.all([
    openDatabase({ url: settings.DATABASE_URL, stateDir }),
    connectChain(settings.SVC_CHAIN_RPC, {
      address: settings.SVC_CONTRACT_ADDRESS,
      block: settings.SVC_CONTRACT_BLOCK,
    }),
  ])
  lifecycle.onClose('database', () => database.close())
  lifecycle.onClose('chain', () => chain.provider.destroy())

  const mirror = new AccountsMirror({
    chain,
    pollMs: settings.SVC_CHAIN_POLL_MS,
    now,
    onFailure: (error) => log('mirror.failed', { error: String(error).slice(0, 300) }),
  })
  await mirror.start()
  lifecycle.onClose('mirror', () => mirror.close())
  const writer = new AccountsWriter(chain, mirror, keyring.payerKey(0))

  const claims = new RunClaims({
    db: database.db,
    exclusive: database.exclusive,
    processId: randomUUID(),
    outcomeKey: keyring.outcomeKey(),
    now,
  })
  await claims.heartbeat()
  const lost = await claims.reap()
  if (lost > 0) log('claims.reaped', { lost })
  const limits = {
    wallMs: settings.SVC_EXECUTION_WALL_MS,
    cpuMs: settings.SVC_EXECUTION_CPU_MS,
  }
  const executions = new Executions({ pool, keyring, claims, limits, log })

  const tending = setInterval(() => void tend(claims, executions), HEARTBEAT_MS)
  lifecycle.onClose('claims', () => clearInterval(tending))

  const current = keyring.channelKey(settings.SVC_CHANNEL_EPOCH)
  const currentId = keyIdOf(current.publicKey)
  const app = createApp({
    settings,
    log,
    now,
    keyring,
    chain,
    mirror,
    writer,
    claims,
    executions,
    channel: {
      keys: {
        keyFor: (keyId) => (keyId === currentId ? current : undefined),
        psk: Buffer.from(settings.SVC_CHANNEL_PSK, 'base64url'),
      },
      current,
      storage: keyring.storageKey(),
    },
  })

  await executorsReady
  const tls = await loadTls(stateDir)
  await new Promise<void>((listening) => {
    const server = serve(
      {
        fetch: app.fetch,
        hostname: settings.SVC_ORIGIN_HOST,
        port: settings.SVC_ORIGIN_PORT,
        createServer,
        serverOptions: { key: tls.key, cert: tls.cert, minVersion: 'TLSv1.3' },
      },
      (address: AddressInfo) => {
        log('origin.ready', { port: address.port, accounts: mirror.current().size })
        process.send?.({ ready: { port: address.port } })
        listening()
      },
    )
    if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS
    lifecycle.onClose('server', () => {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
  })
}

/**
 * An action that broke out of its sandbox can send signals, the permission model or not; by default one of them
 * opens a debugger on this process, and so on the root key.
 */
function requireNoInspector(flags: readonly string[]): void {
  if (flags.includes('--disable-sigusr1')) return
  throw new Error(
    'start the origin with node --disable-sigusr1: a signal could open a debugger on its keys',
  )
}

async function tend(claims: RunClaims, executions: Executions): Promise<void> {
  try {
    await claims.heartbeat()
    await claims.reap()
    await claims.releaseForgotten((runId) => executions.underWay(runId) !== undefined)
    await claims.forget()
  } catch (error) {
    log('claims.failed', { error: String(error).slice(0, 300) })
  }
}

async function stop(code: number): Promise<void> {
  await lifecycle.close((name, error) => log('close.failed', { name, error: String(error) }))
  process.exit(code)
}

process.on('SIGTERM', () => void stop(0)).on('SIGINT', () => void stop(0))
// Who started this process is gone: without it nobody would stop this one.
process.once('disconnect', () => void stop(0))
start().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  log('origin.failed', { message })
  if (process.send) process.send({ failed: { message } }, undefined, undefined, () => void stop(1))
  else void stop(1)
})
