/** Starts a separate anvil chain for a test on a free port, with block production as in the local stack. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HDNodeWallet } from 'ethers'
import { freePort } from '../../origin/stack/ports.ts'

export type Chain = { rpcUrl: string; close(): Promise<void> }

/** Far more than anvil needs to respond, even on a busy machine. */
const START_TIMEOUT_MS = 20_000

/** The native binary, because the package's launcher is an intermediate process: killing it would orphan anvil. */
const architecture = process.arch === 'x64' ? 'amd64' : process.arch
const anvil = createRequire(import.meta.url).resolve(
  `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`,
)

/** Mines a block every second, and another at once for each transaction. */
const MINING = ['--block-time', '1', '--mixed-mining']

/** The parent of the accounts that anvil funds. */
const FUNDED = HDNodeWallet.fromPhrase(
  'test test test test test test test test test test test junk',
  undefined,
  "m/44'/60'/0'/0",
)
const fundedKeys = new Map<number, string>()

/** Returns the private key of a funded account. Each key is derived once, because a derivation takes milliseconds. */
export function fundedKey(index: number): string {
  const key = fundedKeys.get(index) ?? FUNDED.deriveChild(index).privateKey
  fundedKeys.set(index, key)
  return key
}

/**
 * @param mining anvil's flags for block production
 * @throws with anvil's output if it exits or does not respond
 */
export async function startChain(mining: readonly string[] = MINING): Promise<Chain> {
  const port = await freePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const flags = [...mining, '--slots-in-an-epoch', '1', '--silent']
  // By default, anvil writes states of earlier blocks to the user's home folder and leaves them there when killed.
  const oldStates = mkdtempSync(join(tmpdir(), 'svc-anvil-'))
  const child = spawn(anvil, ['--port', String(port), '--cache-path', oldStates, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const kill = () => {
    child.kill('SIGKILL')
    rmSync(oldStates, { recursive: true, force: true })
  }
  process.once('exit', kill)
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))

  const close = async () => {
    process.off('exit', kill)
    child.kill('SIGKILL')
    await ended
    rmSync(oldStates, { recursive: true, force: true })
  }
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await answers(rpcUrl))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await close()
      throw new Error(`anvil failed to start: ${complaint}`)
    }
    await sleep(20)
  }
  return { rpcUrl, close }
}

async function answers(rpcUrl: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  try {
    return (await fetch(rpcUrl, { method: 'POST', headers, body })).ok
  } catch {
    return false
  }
}
