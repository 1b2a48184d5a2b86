import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileEngine } from '../../../origin/actions/engine/engine-module.ts'
import { Sandbox } from '../../../origin/actions/engine/sandbox.ts'
import type { Template } from '../../../origin/actions/engine/template.ts'
import { readTemplate } from '../../../origin/actions/engine/template-file.ts'
import { IDLE_HOOKS } from '../../../origin/actions/host/run-functions.ts'
import type { TemplateFile } from '../../../origin/actions/pool/template.ts'
import { keptTemplate } from './kept-template.ts'

let file: TemplateFile
let template: Template
let sandbox: Sandbox
beforeAll(async () => {
  file = await keptTemplate()
  template = readTemplate(file.fd, file.digest)
  sandbox = await Sandbox.create(compileEngine(template.engine), template)
})
afterAll(() => file.close())

/** @param before is called while the action's memory still exists */
function run(code: string, before = () => {}): string {
  const { vm } = sandbox
  let ended = 'never'
  const end = (...said: string[]) => {
    ended = said.join(' ')
    before()
  }
  vm.hooks = { ...IDLE_HOOKS, finish: end, fail: end }
  vm.call('receive', ['{}'])
  const thrown = vm.evaluate(code)
  if (thrown === undefined) vm.call('begin', [])
  else vm.callWith('uncaught', [thrown])
  while (vm.hasJobs) vm.runJobs(256)
  return ended
}

/** Allocates 8 MiB, almost all of it beyond the snapshot. */
const TAKES_MEMORY = `const kept = []
  function main() {
    for (let at = 1; at <= 8; at++) kept.push(new Uint8Array(1 << 20).fill(0xa5))
    return kept.length
  }`

/** The word in which the allocator of the pinned build stores the end of the heap. */
const BREAK_WORD = 86_864 >> 2

describe('a guest that overwrites the end of its heap', () => {
  it.each([
    ['with nothing', () => 0],
    ['with the end of the snapshot', () => template.places.break],
    ['with an end beyond all memory', () => 0xffff_ffff],
  ])('%s leaves nothing to the next run', (_, end) => {
    const { engine } = sandbox.vm
    const ended = run(TAKES_MEMORY, () => {
      expect(engine.words[BREAK_WORD]).toBeGreaterThan(template.places.break + (7 << 20))
      engine.words[BREAK_WORD] = end()
    })
    expect(ended).toBe('8')
    expect(sandbox.reset()).toBeGreaterThan(7 << 20)
    expect(sandbox.firstDifference()).toBeUndefined()
    expect(run(TAKES_MEMORY)).toBe('8')
    sandbox.reset()
  })

  it('does not slow down the reset of the next run', () => {
    run(TAKES_MEMORY)
    sandbox.reset()
    run('const main = () => 1')
    expect(sandbox.reset()).toBeLessThan(1 << 20)
  })
})
