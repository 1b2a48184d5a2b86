/**
 * Entry point of the process in which `svc test` runs actions, one at a time. Like an executor, it has the stack size and
 * time zone of production, and no keys.
 */
import './environment.ts'
import { compileEngine } from '../../actions/engine/engine-module.ts'
import { Sandbox } from '../../actions/engine/sandbox.ts'
import type { MessageFromSandbox, MessageToSandbox } from './messages.ts'
import { loadTemplate } from './template.ts'
import { TestExecution } from './test-execution.ts'

async function serve(): Promise<void> {
  let current: { run: number; execution: TestExecution } | undefined
  const template = await loadTemplate()
  const wallClock = () => current?.execution.time.wallClockMs() ?? Date.now()
  const sandbox = await Sandbox.create(compileEngine(template.engine), template, wallClock)
  const send = (message: MessageFromSandbox) => void process.send?.(message)

  process.on('message', (message: MessageToSandbox) => {
    const { run } = message
    if (message.type === 'start') {
      const execution = new TestExecution(sandbox, message.request, {
        operations: (operations, nowMs) => send({ run, type: 'operations', operations, nowMs }),
        request: (id, request) => send({ run, type: 'request', id, request }),
        ended(result) {
          current = undefined
          send({ run, type: 'ended', result })
          sandbox.reset()
        },
      })
      current = { run, execution }
      return execution.start()
    }
    if (run !== current?.run) return
    if (message.type === 'key_answer') current.execution.settle(message.id, message.answer)
    else current.execution.respond(message.id, message.response)
  })
}

void serve()
process.on('disconnect', () => process.exit(0))
