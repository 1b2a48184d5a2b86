import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ChainState, isCompleteJson } from '../../../origin/stack/chain-state.ts'
import { ChildFailedError } from '../../../origin/stack/child.ts'

const WHOLE = '{"block":{"number":7},"accounts":{"0x1":{"code":"0x\\"}]"}},"blocks":[[],{}]}'

let folder: string
let told: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-chain-state-'))
  told = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const path = (name: string) => join(folder, name)
const recover = () => new ChainState(folder).recover((line) => told.push(line))

/** Writes the chain's state file with a modification time in seconds since 1970. */
function write(text: string, seconds = 1_000): void {
  writeFileSync(path('state.json'), text)
  utimesSync(path('state.json'), seconds, seconds)
}

it('detects every truncated state, and zeros, as incomplete', async () => {
  for (let length = 0; length < WHOLE.length; length++) {
    write(WHOLE.slice(0, length))
    expect(await isCompleteJson(path('state.json')), WHOLE.slice(0, length)).toBe(false)
  }
  write(WHOLE)
  expect(await isCompleteJson(path('state.json'))).toBe(true)
  write(`${WHOLE}\n`)
  expect(await isCompleteJson(path('state.json'))).toBe(true)
  for (const text of [
    `${WHOLE}\0\0`,
    `${WHOLE}${WHOLE}`,
    '\0\0\0',
    WHOLE.replace('0x1', '\0\0\0'),
  ]) {
    write(text)
    expect(await isCompleteJson(path('state.json')), text).toBe(false)
  }
})

it('keeps and copies a complete state', async () => {
  write(WHOLE)
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(readFileSync(path('state.good.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual([])
})

it('replaces a torn state by its good copy, and reports how much is lost', async () => {
  write(WHOLE, 1_000)
  await recover()
  write(WHOLE.slice(0, 40), 1_007)
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual([
    expect.stringMatching(/restored its last good copy.*at most 7 s of the chain/),
  ])
})

it('does not let a state that is torn during the copy become the good copy', async () => {
  write(WHOLE)
  await recover()
  write(WHOLE.slice(0, 40), 1_005)
  expect(await new ChainState(folder).backUp()).toBe(false)
  expect(readFileSync(path('state.good.json'), 'utf8')).toBe(WHOLE)
})

it('starts over if the first write of a new chain is torn', async () => {
  await recover()
  write(WHOLE.slice(0, 40))
  await recover()
  expect(existsSync(path('state.json'))).toBe(false)
  expect(told).toHaveLength(1)
})

it('restores a missing state from its good copy', async () => {
  write(WHOLE)
  await recover()
  rmSync(path('state.json'))
  await recover()
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE)
  expect(told).toEqual(['state.json was missing; restored its last good copy'])
})

it('reports a torn state without a copy, says what to do, and does not modify it', async () => {
  write(WHOLE.slice(0, 40))
  await expect(recover()).rejects.toThrow(ChildFailedError)
  await expect(recover()).rejects.toThrow(/state\.json is incomplete.*your own backup.*start over/)
  expect(readFileSync(path('state.json'), 'utf8')).toBe(WHOLE.slice(0, 40))
})

it('copies a write soon after it, without a restart', async () => {
  const state = new ChainState(folder)
  await state.recover(() => {})
  state.watch()
  try {
    write(WHOLE, Date.now() / 1_000)
    await expect
      .poll(() => readFileSync(path('state.good.json'), 'utf8'), { timeout: 10_000 })
      .toBe(WHOLE)
  } finally {
    await state.stop()
  }
})

it('lets another object use the folder once it has stopped, even if a copy was in progress', async () => {
  for (let start = 0; start < 20; start++) {
    write(WHOLE.replace('7', String(start)), 2_000 + start)
    const state = new ChainState(folder)
    void state.backUp()
    await state.stop()
    expect(await new ChainState(folder).backUp()).toBe(false)
  }
})

it('does not disturb a copy in progress at the next start of a chain', async () => {
  write(WHOLE)
  const state = new ChainState(folder)
  for (let start = 0; start < 20; start++) {
    write(WHOLE.replace('7', String(start)), 2_000 + start)
    const underWay = state.backUp()
    await state.recover((line) => told.push(line))
    expect(await underWay).toBe(true)
  }
  expect(told).toEqual([])
})
