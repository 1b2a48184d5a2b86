import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { PUBLIC_ONLY } from '../../../origin/actions/outbound/policy.ts'
import { ExecutorProcess } from '../../../origin/actions/pool/executor-process.ts'
import type { TemplateFile } from '../../../origin/actions/pool/template.ts'
import { NO_KEYS, request, returned } from './sandbox.ts'

/** Reports the end of the previous run, or of an unknown one, before the end of the run that it was given. */
const FORGING_EXECUTOR = `
  let previous = 'never'
  const end = (token, value) => {
    const result = { kind: 'returned', value, logs: [], durationMs: 1, cpuMs: 1 }
    process.send({ type: 'ended', token, result, rssBytes: 1 })
  }
  process.on('message', ({ type, token }) => {
    if (type === 'start') return process.send({ type: 'ready', rssBytes: 1 })
    end(previous, '"forged"')
    end(token, '"own"')
    previous = token
  })`

const folder = mkdtempSync(join(tmpdir(), 'svc-forging-'))
const entry = join(folder, 'executor.cjs')
writeFileSync(entry, FORGING_EXECUTOR)
const fd = openSync(entry, 'r')
afterAll(() => {
  closeSync(fd)
  rmSync(folder, { recursive: true })
})

it('forged end: an executor cannot end a run with another token', async () => {
  const code = { folder, entry: () => entry, remove: () => {} }
  const template: TemplateFile = { fd, digest: '', code, close: () => {} }
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const executor = new ExecutorProcess(template, PUBLIC_ONLY, {
    free: () => ready.resolve(),
    ended: () => ended.resolve(),
  })
  await ready.promise
  for (let run = 1; run <= 2; run++)
    expect(returned(await executor.run(request(''), NO_KEYS)).value).toBe('"own"')
  executor.kill('the test is over')
  await ended.promise
})
