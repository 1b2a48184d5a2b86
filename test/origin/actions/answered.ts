import { beforeAll } from 'vitest'
import { compileEngine, engineBytes } from '../../../origin/actions/engine/engine-module.ts'
import { readGuestSources } from '../../../origin/actions/engine/guest-sources.ts'
import { Sandbox } from '../../../origin/actions/engine/sandbox.ts'
import { buildTemplate } from '../../../origin/actions/engine/template.ts'
import type { OperationRefusal } from '../../../origin/actions/host/run-functions.ts'
import { IDLE_HOOKS } from '../../../origin/actions/host/run-functions.ts'

/** An operation that the action requested, as the host receives it. */
export type Asked = { name: string; argument: unknown; bytes: string }

/** The test's response. `undefined` leaves the operation pending. */
export type Answer = { value: unknown; bytes?: Uint8Array } | OperationRefusal | undefined

/** A sandbox in this process, in which a test answers the operations of the action. */
export function answeredSandbox() {
  let sandbox: Sandbox
  beforeAll(async () => {
    const template = await buildTemplate(engineBytes(), readGuestSources())
    sandbox = await Sandbox.create(compileEngine(template.engine), template)
  })

  /** @returns how main ended, the requested operations, and the abandoned ones */
  async function run(code: string, answer: (asked: Asked) => Answer) {
    const { vm } = sandbox
    sandbox.reset()
    const asked: Asked[] = []
    const abandoned: number[] = []
    const open: (() => void)[] = []
    const ended = Promise.withResolvers<unknown>()
    const enter = (call: () => void) => {
      call()
      while (vm.hasJobs) vm.runJobs(256)
      while (open.length > 0) enter(open.shift() as () => void)
    }
    vm.hooks = {
      ...IDLE_HOOKS,
      finish: (json) => ended.resolve(JSON.parse(json)),
      fail: (failure, name, message) => ended.resolve({ failed: { code: failure, name, message } }),
      setTimer: (id, ms) => void setTimeout(() => enter(() => vm.call('fire', [id])), ms),
      abandon: (id) => abandoned.push(id),
      operation: (id, name, argument, bytes) => {
        const request = { name, argument, bytes: Buffer.from(bytes).toString() }
        asked.push(request)
        const given = answer(request)
        if (given === undefined) return undefined
        const isRefused = 'message' in given
        const json = JSON.stringify(isRefused ? given : given.value)
        const content = isRefused ? new Uint8Array(0) : (given.bytes ?? new Uint8Array(0))
        open.push(() => vm.call('settle', [id, isRefused, json, content]))
        return undefined
      },
    }
    enter(() => {
      vm.call('receive', ['{}'])
      const thrown = vm.evaluate(code)
      if (thrown === undefined) vm.call('begin', [])
      else vm.callWith('uncaught', [thrown])
    })
    const value = await ended.promise
    return { value, asked, abandoned }
  }
  return { run }
}
