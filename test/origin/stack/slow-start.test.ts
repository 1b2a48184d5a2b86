import { afterEach, describe, expect, it } from 'vitest'
import { Child } from '../../../origin/stack/child.ts'

const children: Child[] = []
afterEach(() => Promise.all(children.splice(0).map((child) => child.kill())))

/** A child that runs a program, and may show no progress for 2 s; what was said while it started. */
function start(program: string) {
  const said: string[] = []
  const child = new Child({
    name: 'origin',
    command: process.execPath,
    args: ['-e', program],
    ipc: true,
    starts: 'prepares its database',
    stopSignal: 'SIGTERM',
    stalledMs: 2_000,
    onLine: () => {},
    onWait: (text) => said.push(text),
    started: () => {},
  })
  children.push(child)
  return { ready: child.message<string>(), said }
}

describe('a child that starts for longer than a stall', () => {
  it('is waited for while it computes, and the user hears what is waited for', async () => {
    const { ready, said } = start(`
      const until = Date.now() + 5_000
      while (Date.now() < until);
      process.send({ ready: 'computed' })`)
    expect(await ready).toBe('computed')
    expect(said.length).toBeGreaterThan(1)
    for (const text of said)
      expect(text).toMatch(/^waiting for the origin, which prepares its database \(\d+ s so far\)$/)
  })

  it('is waited for while another process of its group computes', async () => {
    const { ready } = start(`
      const spin = 'const until = Date.now() + 5_000; while (Date.now() < until);'
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ['-e', spin]).once('exit', () => process.send({ ready: 'built' }))`)
    expect(await ready).toBe('built')
  })

  it('is waited for while it writes', async () => {
    const { ready } = start(`
      const timer = setInterval(() => console.log('a step'), 300)
      setTimeout(() => { clearInterval(timer); process.send({ ready: 'wrote' }) }, 5_000)`)
    expect(await ready).toBe('wrote')
  })

  it('is given up when it does nothing, with its last words', async () => {
    const { ready } = start(`console.log('connecting'); setInterval(() => {}, 1_000)`)
    await expect(ready).rejects.toThrow(
      'origin made no progress for 2 s: it wrote nothing and hardly computed: connecting',
    )
  })
})

describe('a child that dies while it starts', () => {
  it('fails the start at once, with its last words', async () => {
    const { ready } = start(`console.error('no space left'); process.exitCode = 3`)
    await expect(ready).rejects.toThrow(
      'origin exited with code 3 before it was ready: no space left',
    )
  })

  it('fails the start at once when it says why', async () => {
    const failed = `{ failed: { message: 'the port is taken' } }`
    const { ready } = start(`process.send(${failed}); setInterval(() => {}, 1_000)`)
    await expect(ready).rejects.toThrow('origin did not start: the port is taken')
  })
})
