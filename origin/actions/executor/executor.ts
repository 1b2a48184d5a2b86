import { createEngine } from '../engine/engine.ts'
import { Execution } from './execution.ts'
import { readGuestSources } from '../engine/guest-sources.ts'
import type { FromExecutor, ToExecutor } from '../messages.ts'

/**
 * Entry point of an executor: a child process that holds no key and runs one action at a time. It
 * prepares the next sandbox before it says that it is ready, so that no run waits for ethers to load.
 */
const sources = readGuestSources()
let engine = await createEngine(sources)
let current: { token: string; execution: Execution } | undefined

/** Resolves when the pipe has taken the message: preparing a sandbox would hold it back. */
function send(message: FromExecutor): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve())
  })
}

async function run(request: Extract<ToExecutor, { type: 'run' }>): Promise<void> {
  const { token } = request
  const execution = new Execution(engine, request, (id, operation) => {
    void send({ type: 'key_operation', token, id, operation })
  })
  current = { token, execution }
  const result = await execution.run()
  current = undefined
  await send({ type: 'ended', token, result })
  engine = await createEngine(sources)
  await send({ type: 'ready', rssBytes: process.memoryUsage.rss() })
}

process.on('message', (message: ToExecutor) => {
  if (message.type === 'run') return void run(message)
  if (message.token !== current?.token) return
  if (message.type === 'stop') current.execution.stop()
  else current.execution.settle(message.id, message.answer)
})
// A signal to the whole group, as from a terminal, is the parent's to answer: it lets runs finish first.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// The parent is gone: nobody is left to answer.
process.on('disconnect', () => process.exit(0))

await send({ type: 'ready', rssBytes: process.memoryUsage.rss() })
