import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { KeyGate } from '../../actions/pool/key-gate.ts'
import type { Capability, FailedResult, ReturnedResult } from '../../actions/run.ts'
import { SANDBOX_PROCESS } from './files.ts'
import type {
  MessageFromSandbox,
  MessageToSandbox,
  SandboxRun,
  SentRequest,
  SentResponse,
} from './messages.ts'

/** As in production (`origin/actions/pool/fork.ts`). */
const NATIVE_STACK_KB = 4000

/** Number of characters of standard error that are stored, to explain why the process exited. */
const STDERR_CHARACTERS = 2000

type TestHandlers = {
  capability: Capability
  /** Called with the time of the fake clock before the capability is used. Unix milliseconds. */
  onTime: (nowMs: number) => void
  /** Never rejects. */
  respond: (request: SentRequest) => Promise<SentResponse>
}

/** Forks one process, which runs actions one after another. It does not keep the test's process alive. */
export class SandboxProcess {
  readonly #child: ChildProcess
  #runs = 0
  #stderr = ''
  #last: Promise<unknown> = Promise.resolve()
  hasExited = false

  constructor() {
    this.#child = fork(SANDBOX_PROCESS, [], {
      execArgv: [`--stack-size=${NATIVE_STACK_KB}`, '--disable-warning=ExperimentalWarning'],
      env: { TZ: 'UTC' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARACTERS)
    })
    this.#child.on('exit', () => (this.hasExited = true))
    this.#child.on('error', (error) => (this.#stderr += error.message))
    this.#keepAlive(false)
  }

  /** Decides whether the process keeps the test's process alive. */
  #keepAlive(isBusy: boolean): void {
    const { channel, stderr } = this.#child
    // A pipe to a child process is a socket, but its type does not say so.
    for (const handle of [this.#child, channel, stderr as Socket | null])
      if (isBusy) handle?.ref()
      else handle?.unref()
  }

  run(request: SandboxRun, handlers: TestHandlers): Promise<ReturnedResult | FailedResult> {
    const result = this.#last.then(() => this.#run(request, handlers))
    this.#last = result.catch(() => {})
    return result
  }

  async #run(
    request: SandboxRun,
    { capability, onTime, respond }: TestHandlers,
  ): Promise<ReturnedResult | FailedResult> {
    const run = ++this.#runs
    const gate = new KeyGate(capability)
    const child = this.#child
    const send = (message: MessageToSandbox) => {
      if (child.connected) child.send(message)
    }
    let resolve!: (result: ReturnedResult | FailedResult) => void
    let reject!: (error: Error) => void
    const ended = new Promise<ReturnedResult | FailedResult>(
      (...settle) => ([resolve, reject] = settle),
    )
    const exited = () =>
      reject(new Error(`the process of the sandbox exited: ${this.#stderr.trim()}`))
    const received = (message: MessageFromSandbox) => {
      if (message.run !== run) return
      if (message.type === 'ended') resolve(message.result)
      else if (message.type === 'operations') {
        onTime(message.nowMs)
        for (const { id, operation } of message.operations)
          void gate.request(operation).then((answer) => {
            if (answer) send({ run, type: 'key_answer', id, answer })
          })
      } else
        void respond(message.request).then((response) =>
          send({ run, type: 'response', id: message.id, response }),
        )
    }
    this.#keepAlive(true)
    child.on('message', received).once('close', exited)
    if (this.hasExited) exited()
    else send({ run, type: 'start', request })
    try {
      return await ended
    } finally {
      gate.close()
      this.#keepAlive(false)
      child.off('message', received).off('close', exited)
    }
  }
}
