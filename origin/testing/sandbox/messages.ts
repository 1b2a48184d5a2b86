/** Messages between the test and the process with the sandbox. Both are code of ours, so they are not validated. */
import type { KeyRequest, KeyResponse } from '../../actions/messages.ts'
import type { FailedResult, ReturnedResult } from '../../actions/run.ts'

export type SandboxRun = {
  code: string
  /** JSON text. */
  params: string
  /** Unix milliseconds at which the fake clock starts. */
  now: number
  wallMs: number
  cpuMs: number
}

/** A request of an action, after production's checks. */
export type SentRequest = {
  method: string
  /** Without the fragment. */
  url: string
  /** Names are in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

export type SentResponse = { delayMs: number } & (
  | {
      status: number
      statusText: string
      headers: [name: string, value: string][]
      body: Uint8Array
    }
  | { failure: string }
)

/** `run` numbers the runs of a process, so that late responses to an earlier run are ignored. */
export type MessageToSandbox = { run: number } & (
  | { type: 'start'; request: SandboxRun }
  | { type: 'key_answer'; id: number; answer: KeyResponse }
  | { type: 'response'; id: number; response: SentResponse }
)

export type MessageFromSandbox = { run: number } &
  /** `nowMs` is the fake clock, in Unix milliseconds. */
  (
    | { type: 'operations'; nowMs: number; operations: KeyRequest[] }
    | { type: 'request'; id: number; request: SentRequest }
    | { type: 'ended'; result: ReturnedResult | FailedResult }
  )
