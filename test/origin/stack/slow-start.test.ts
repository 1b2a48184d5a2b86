import { afterEach, describe, expect, it } from 'vitest'
import { Child } from '../../../origin/stack/child.ts'

const children: Child[] = []
afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())))

/** Starts a child that runs a program and may make no progress for at most 2 s. Records the status messages. */
function start(program: string) {
  const said: string[] = []
  const child = new Child({
    name: 'origin',
    command: process.execPath,
    args: ['-e', program],
    ipc: true,
    starts: 'preparing its database',
    stopSignal: 'SIGTERM',
    stalledMs: 2_000,
    onLine: () => {},
    onWait: (text) => said.push(text),
    started: () => {},
  })
  children.push(child)
  return { ready: child.waitForReady<string>(), said }
}

describe('a child that starts slowly', () => {
  it('is awaited while it computes, and the user sees the reason', async () => {
    const { ready, said } = start(`
      const until = Date.now() + 5_000
      while (Date.now() < until);
      process.send({ ready: 'computed' })`)
    expect(await ready).toBe('computed')
    expect(said.length).toBeGreaterThan(1)
    for (const text of said)
      expect(text).toMatch(
        /^waiting for the origin, which is preparing its database \(\d+ s so far\)$/,
      )
  })

  it('is awaited while another process of its group computes', async () => {
    const { ready } = start(`
      const spin = 'const until = Date.now() + 5_000; while (Date.now() < until);'
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ['-e', spin]).once('exit', () => process.send({ ready: 'built' }))`)
    expect(await ready).toBe('built')
  })

  it('is awaited while it writes', async () => {
    const { ready } = start(`
      const timer = setInterval(() => console.log('a step'), 300)
      setTimeout(() => { clearInterval(timer); process.send({ ready: 'wrote' }) }, 5_000)`)
    expect(await ready).toBe('wrote')
  })

  it('fails the start if it is idle, with its last output', async () => {
    const { ready } = start(`console.log('connecting'); setInterval(() => {}, 1_000)`)
    await expect(ready).rejects.toThrow(
      'origin made no progress for 2 s: no output and almost no CPU time: connecting',
    )
  })
})

describe('a child that exits during its start', () => {
  it('fails the start at once, with its last output', async () => {
    const { ready } = start(`console.error('no space left'); process.exitCode = 3`)
    await expect(ready).rejects.toThrow(
      'origin exited with code 3 before it was ready: no space left',
    )
  })

  it('fails the start at once if it reports a reason', async () => {
    const failed = `{ failed: { message: 'the port is taken' } }`
    const { ready } = start(`process.send(${failed}); setInterval(() => {}, 1_000)`)
    await expect(ready).rejects.toThrow('origin failed to start: the port is taken')
  })
})
