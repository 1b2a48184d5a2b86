import { compileEngine } from '../engine/engine-module.ts'
import { Sandbox } from '../engine/sandbox.ts'
import { readTemplate } from '../engine/template-file.ts'
import type { FromExecutor, ToExecutor } from '../messages.ts'
import { Outbound } from '../outbound/outbound.ts'
import { Execution } from './execution.ts'

/**
 * Entry point of an executor: a child process that holds no key and runs one action at a time, in a sandbox that is
 * reset after each. Its one argument is the digest of the template, which is open as descriptor 4.
 */
const TEMPLATE_FD = 4

/** A run that has taken this much memory is followed by a look at the process's own. */
const TAKEN_MUCH_BYTES = 4 * 1024 * 1024

/** So has one that took this long, perhaps: what the host computes for it is not in the sandbox's memory. */
const LONG_MS = 50

/** Runs after which that is looked at in any case. */
const RUNS_PER_LOOK = 64

const template = readTemplate(TEMPLATE_FD, process.argv[2] ?? '')
const sandbox = await Sandbox.create(compileEngine(template.engine), template)
let outbound: Outbound | undefined
let current: { token: string; execution: Execution } | undefined
let runs = 0
let rssBytes = process.memoryUsage.rss()

/** Written to the pipe at once: what follows does not hold it back. */
function send(message: FromExecutor): void {
  process.send?.(message)
}

function run(request: Extract<ToExecutor, { type: 'run' }>): void {
  const { token } = request
  if (outbound === undefined) throw new Error('a run came before the start')
  const execution = new Execution(sandbox.vm, outbound, request, {
    waits: (operations, computedMs) => send({ type: 'waits', token, operations, computedMs }),
    computes: (computedMs) => send({ type: 'computes', token, computedMs }),
    ended(result) {
      current = undefined
      send({ type: 'ended', token, result, rssBytes })
      // The answer is on its way; the next run meets a clean memory.
      const taken = sandbox.reset()
      const wasLong = result.durationMs > LONG_MS
      if (taken > TAKEN_MUCH_BYTES || wasLong || ++runs % RUNS_PER_LOOK === 0)
        rssBytes = process.memoryUsage.rss()
    },
  })
  current = { token, execution }
  execution.start()
}

process.on('message', (message: ToExecutor) => {
  if (message.type === 'run') return run(message)
  if (message.type === 'start') {
    outbound = new Outbound(message.outbound)
    return send({ type: 'ready', rssBytes })
  }
  if (message.token !== current?.token) return
  if (message.type === 'stop') current.execution.stop()
  else current.execution.settle(message.id, message.answer)
})
// A signal to the whole group, as from a terminal, is the parent's to answer: it lets runs finish first.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// The parent is gone: nobody is left to answer.
process.on('disconnect', () => process.exit(0))
