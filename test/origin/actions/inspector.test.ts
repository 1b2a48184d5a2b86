import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { executorFiles, sandboxedForkOptions } from '../../../origin/actions/pool/fork.ts'

/** Returns true if a Node process with these flags opens its inspector on SIGUSR1. */
async function opensInspector(flags: readonly string[]): Promise<boolean> {
  const idle = 'process.stdout.write("up"); setInterval(() => {}, 1000)'
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const child = spawn(process.execPath, [...flags, `--inspect-port=${port}`, '-e', idle], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGUSR1')
  const said = once(child.stderr, 'data').then(() => true)
  const silent = new Promise<false>((resolve) => setTimeout(() => resolve(false), 1_000))
  await Promise.race([said, silent])
  const socket = connect(port, '127.0.0.1')
  const open = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  child.kill('SIGKILL')
  return open
}

it('debugger attack: a signal opens a debugger on a plain Node process', async () => {
  expect(await opensInspector([])).toBe(true)
})

it('debugger attack: a signal does not open a debugger on an executor', async () => {
  expect(await opensInspector(sandboxedForkOptions(0, executorFiles()).execArgv)).toBe(false)
})

it('debugger attack: the origin refuses to start without --disable-sigusr1', async () => {
  const main = fileURLToPath(new URL('../../../origin/main.ts', import.meta.url))
  const origin = spawn(process.execPath, [main], { env: {}, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(origin.stdout, 'data')) as [Buffer]
  const [code] = (await once(origin, 'exit')) as [number]
  expect(line.toString()).toContain('--disable-sigusr1')
  expect(code).toBe(1)
})
