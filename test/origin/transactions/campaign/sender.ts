/** Handle of a process that sends transactions, and of its successors after kills. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeBundles } from '../../../../origin/stack/bundles.ts'
import type { Order, Reply } from './orders.ts'
import type { SenderProcessInput } from './sender-process.ts'

const SCRIPT = fileURLToPath(new URL('./sender-process.ts', import.meta.url))

type Message = { ready?: true; log?: string; number?: number; reply?: Reply }

/** Lines kept for the message of a failed test. */
const LOG_LINES = 200

export class Sender {
  readonly #input: Omit<SenderProcessInput, 'processId'>
  readonly #name: string
  #incarnation = 0
  #child: ChildProcess | undefined
  #orders = 0
  isReady = false
  readonly #pending = new Map<number, (reply: Reply | undefined) => void>()
  readonly log: string[] = []

  constructor(name: string, input: Omit<SenderProcessInput, 'processId'>) {
    this.#name = name
    this.#input = input
  }

  get processId(): string {
    return `${this.#name}.${this.#incarnation}`
  }

  /**
   * Resolves when the process is ready, or has been killed.
   * @param followsPredecessor true if the new process knows the one before, as an origin does that is restarted
   */
  async start(followsPredecessor = false): Promise<void> {
    const [script] = await nodeBundles([SCRIPT])
    const predecessor = followsPredecessor ? this.processId : undefined
    this.#incarnation++
    const { processId } = this
    const input: SenderProcessInput = {
      ...this.#input,
      processId,
      ...(predecessor !== undefined && { predecessor }),
    }
    const child = fork(script!, [JSON.stringify(input)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    this.#child = child
    const add = (line: string) => {
      this.log.push(`${processId} ${line.trimEnd()}`)
      if (this.log.length > LOG_LINES) this.log.shift()
    }
    child.stderr!.setEncoding('utf8').on('data', add)
    await new Promise<void>((ready, failed) => {
      child.on('message', (message: Message) => {
        if (message.log !== undefined) add(message.log)
        if (message.ready) {
          this.isReady = true
          ready()
        }
        if (message.number !== undefined) this.#settle(message.number, message.reply)
      })
      child.once('exit', (code, signal) => {
        this.isReady = false
        for (const number of this.#pending.keys()) this.#settle(number, undefined)
        if (signal !== null) return ready()
        add(`exited with ${code}`)
        failed(new Error(`${processId} ended before it was ready: ${this.log.join('\n')}`))
      })
    })
  }

  /** @returns undefined if the process ends before it replies */
  order(order: Order): Promise<Reply | undefined> {
    const child = this.#child
    if (!child?.connected) return Promise.resolve(undefined)
    const number = ++this.#orders
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>()
    this.#pending.set(number, resolve)
    child.send({ number, order }, (error) => error && this.#settle(number, undefined))
    return promise
  }

  /** Kills the process, and returns when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await closed
  }

  #settle(number: number, reply: Reply | undefined): void {
    this.#pending.get(number)?.(reply)
    this.#pending.delete(number)
  }
}
