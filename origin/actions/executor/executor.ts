import { compileEngine } from '../engine/engine-module.ts'
import { Sandbox } from '../engine/sandbox.ts'
import { readTemplate } from '../engine/template-file.ts'
import type { MessageFromExecutor, MessageToExecutor } from '../messages.ts'
import { Outbound } from '../outbound/outbound.ts'
import { Execution } from './execution.ts'

/**
 * Entry point of an executor: a child process that has no keys and executes one action at a time, in a sandbox that is
 * reset after each run. The only argument is the digest of the template file, which is open as file descriptor 4.
 */
const TEMPLATE_FD = 4

/** Sandbox memory in bytes. If a run allocates more, the memory of the process is measured after the run. */
const LARGE_RUN_BYTES = 4 * 1024 * 1024

/**
 * Duration in milliseconds. If a run takes longer, the memory of the process is measured after the run, because the
 * host's work for a run uses memory outside the sandbox.
 */
const LONG_RUN_MS = 50

/** Number of runs after which the memory of the process is measured in any case. */
const RUNS_PER_MEASUREMENT = 64

/** Accepts messages of the parent process. */
function serve(sandbox: Sandbox): void {
  let outbound: Outbound | undefined
  let current: { token: string; execution: Execution } | undefined
  let runs = 0
  let rssBytes = process.memoryUsage.rss()

  const run = (request: Extract<MessageToExecutor, { type: 'run' }>) => {
    const { token } = request
    if (outbound === undefined) throw new Error('received a run before the start message')
    const execution = new Execution(sandbox.vm, outbound, request, {
      waits: (operations, progress) => send({ type: 'waits', token, operations, ...progress }),
      computes: (progress) => send({ type: 'computes', token, ...progress }),
      ended(result) {
        current = undefined
        send({ type: 'ended', token, result, rssBytes })
        // Reset after the result has been sent, so that the reset does not delay the result.
        const allocatedBytes = sandbox.reset()
        const wasLong = result.durationMs > LONG_RUN_MS
        if (allocatedBytes > LARGE_RUN_BYTES || wasLong || ++runs % RUNS_PER_MEASUREMENT === 0)
          rssBytes = process.memoryUsage.rss()
      },
    })
    current = { token, execution }
    execution.start()
  }

  process.on('message', (message: MessageToExecutor) => {
    if (message.type === 'run') return run(message)
    if (message.type === 'start') {
      outbound = new Outbound(message.outbound)
      return send({ type: 'ready', rssBytes })
    }
    if (message.token !== current?.token) return
    if (message.type === 'stop') current.execution.stop()
    else current.execution.settle(message.id, message.answer)
  })
}

/**
 * Sends a message to the parent process. The message is written to the pipe immediately, so later work does not delay
 * it.
 */
function send(message: MessageFromExecutor): void {
  process.send?.(message)
}

const template = readTemplate(TEMPLATE_FD, process.argv[2] ?? '')
// This module is bundled as CommonJS, which has no top-level await.
void Sandbox.create(compileEngine(template.engine), template).then(serve)
// Signals to the whole process group, for example by Ctrl-C in a terminal, are ignored here. The parent process handles
// them, and lets runs finish first.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('disconnect', () => process.exit(0))
