import type { Sandbox } from '../../actions/engine/sandbox.ts'
import { Execution } from '../../actions/executor/execution.ts'
import type { KeyRequest, KeyResponse } from '../../actions/messages.ts'
import type { FailedResult, ReturnedResult } from '../../actions/run.ts'
import { FakeTime } from './fake-time.ts'
import type { SandboxRun, SentRequest, SentResponse } from './messages.ts'
import { TestNetwork } from './test-network.ts'

type TestExecutionEvents = {
  operations(operations: KeyRequest[], nowMs: number): void
  request(id: number, request: SentRequest): void
  ended(result: ReturnedResult | FailedResult): void
}

/**
 * Runs an action on a fake clock. While the action only waits for timers, the clock jumps from timer to timer. While it
 * waits for the test, which performs key operations and responds to requests, the clock stands still.
 */
export class TestExecution {
  readonly time: FakeTime
  readonly #execution: Execution
  readonly #responses = new Map<number, (response: SentResponse) => void>()
  #requests = 0
  /** Number of operations and requests that the test has not answered. */
  #held = 0
  #hasEnded = false
  #isScheduled = false

  constructor(sandbox: Sandbox, request: SandboxRun, events: TestExecutionEvents) {
    this.time = new FakeTime(request.now)
    const network = new TestNetwork({
      time: this.time,
      ask: (sent) =>
        new Promise((resolve) => {
          const id = ++this.#requests
          this.#responses.set(id, resolve)
          events.request(id, sent)
        }),
      held: () => this.#held++,
      released: () => this.#release(),
    })
    const executionEvents = {
      waits: (operations: KeyRequest[]) => {
        this.#held += operations.length
        if (operations.length > 0) events.operations(operations, this.time.wallClockMs())
      },
      computes: () => {},
      ended: (result: ReturnedResult | FailedResult) => {
        this.#hasEnded = true
        events.ended(result)
      },
    }
    this.#execution = new Execution(sandbox.vm, network, request, executionEvents, this.time)
  }

  start(): void {
    this.#execution.start()
    this.#schedule()
  }

  settle(id: number, answer: KeyResponse): void {
    this.#execution.settle(id, answer)
    this.#release()
  }

  respond(id: number, response: SentResponse): void {
    this.#responses.get(id)?.(response)
    this.#responses.delete(id)
  }

  #release(): void {
    this.#held--
    this.#schedule()
  }

  /** In a later turn of the event loop, so that all promise jobs of the host have run. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#hasEnded || this.#held > 0) return
      this.time.fireNext()
      this.#schedule()
    })
  }
}
