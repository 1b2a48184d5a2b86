import { describe, expect, it } from 'vitest'
import { type PreparedRun, RunBatcher } from '../../../edge/queue/run-batcher.ts'
import type { SealedOrigin } from '../../../edge/trust/sealed-origin.ts'
import { EXECUTE_WAIT_CROWDED_MS, EXECUTE_WAIT_MS } from '../../../shared/limits.ts'
import { RUNS_PER_REQUEST_MAX } from '../../../shared/wire/sealed-runs.ts'
import type { ExecuteResponse } from '../../../shared/wire/sealed.ts'
import { success } from '../app.ts'
import { settled } from './simulation.ts'

type Request = {
  ids: string[]
  key: string
  waitMs: number
  answer: (id: string, response: ExecuteResponse) => void
  end: () => void
  fail: (reason: string) => void
}

const CONNECTIONS = 3
const MIB = 1024 * 1024
const ended = (response: unknown): ExecuteResponse => ({ state: 'ended', ...success(response) })

/** A batcher with an origin that responds when the test says so. */
function batcherWithOrigin() {
  const requests: Request[] = []
  const origin: Pick<SealedOrigin, 'executeRuns'> = {
    executeRuns: ({ credential, wait_ms, runs }, answer) =>
      new Promise((resolve, reject) => {
        requests.push({
          ids: runs.map(({ id }) => id),
          key: credential.sealed_usage_key,
          waitMs: wait_ms,
          answer,
          end: resolve,
          fail: (reason) => reject(new Error(reason)),
        })
      }),
  }
  const batcher = new RunBatcher(origin, CONNECTIONS)
  const announced: string[] = []
  const prepared = (id: string, { key = 'key', characters = 0 } = {}): PreparedRun => ({
    run: { id, attempt: 1, retryLost: false, source: '', params: 'x'.repeat(characters) },
    credential: { sealed_usage_key: key, trigger_id: 'trigger', owner_id: 'owner' },
    onSend: () => void announced.push(id),
  })
  /** Returns the result of the run, or the message of its error. */
  const sendAs = (prepare: () => PreparedRun | { unsent: string }): Promise<unknown> =>
    batcher.send(prepare).catch((error: Error) => error.message)
  const send = (id: string, options = {}) => sendAs(() => prepared(id, options))
  const finish = (request: Request) => {
    for (const id of request.ids) request.answer(id, ended(id))
    request.end()
  }
  /** Occupies all connections. */
  const occupy = async () => {
    for (let n = 0; n < CONNECTIONS; n++) {
      void send(`first-${n}`)
      await settled()
    }
    expect(requests).toHaveLength(CONNECTIONS)
  }
  const ids = () => requests.slice(CONNECTIONS).map((request) => request.ids)
  return { announced, finish, ids, occupy, prepared, requests, send, sendAs }
}

const named = (count: number) => Array.from({ length: count }, (_, n) => `run-${n}`)

describe('a batch', () => {
  it('contains the runs of one turn, and is sent at once', async () => {
    const { announced, finish, requests, send } = batcherWithOrigin()
    const results = ['a', 'b', 'c'].map((id) => send(id))
    await settled()
    expect(requests.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']])
    expect(announced).toEqual(['a', 'b', 'c'])
    finish(requests[0]!)
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c'].map(ended))
  })

  it('contains all runs that arrived while no connection was free, up to the maximum, in order', async () => {
    const { finish, ids, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    const waiting = named(RUNS_PER_REQUEST_MAX + 2)
    const results = waiting.map((id) => send(id))
    await settled()
    expect(ids()).toEqual([])
    finish(requests[0]!)
    await settled()
    expect(ids()).toEqual([waiting.slice(0, RUNS_PER_REQUEST_MAX)])
    finish(requests[CONNECTIONS]!)
    await settled()
    expect(ids()[1]).toEqual(waiting.slice(RUNS_PER_REQUEST_MAX))
    finish(requests[CONNECTIONS + 1]!)
    expect(await Promise.all(results)).toEqual(waiting.map(ended))
  })

  it('is limited by the characters of its sources and params, and a larger run is sent alone', async () => {
    const { finish, ids, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    const sizes = [0.5, 0.5, 0.25, 3, 0.25, 0.75]
    for (const [n, mib] of sizes.entries()) void send(`run-${n}`, { characters: mib * MIB })
    await settled()
    for (let n = 0; n < CONNECTIONS + 3; n++) {
      finish(requests[n]!)
      await settled()
    }
    expect(ids()).toEqual([['run-0', 'run-1'], ['run-2'], ['run-3'], ['run-4', 'run-5']])
  })

  it('key mix-up: contains only runs that are sent under the same usage key', async () => {
    const { finish, ids, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    for (const [n, key] of ['old', 'old', 'new', 'old'].entries()) void send(`run-${n}`, { key })
    await settled()
    for (let n = 0; n < CONNECTIONS; n++) finish(requests[n]!)
    await settled()
    expect(ids()).toEqual([['run-0', 'run-1'], ['run-2'], ['run-3']])
    expect(requests.slice(CONNECTIONS).map(({ key }) => key)).toEqual(['old', 'new', 'old'])
  })
})

describe('connections', () => {
  it('are limited to three', async () => {
    const { ids, occupy, send } = batcherWithOrigin()
    await occupy()
    void send('waiting')
    await settled()
    expect(ids()).toEqual([])
  })

  it('are freed by a failure, too', async () => {
    const { ids, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    void send('waiting')
    requests[1]!.fail('broken')
    await settled()
    expect(ids()).toEqual([['waiting']])
  })

  it('are held until the whole request has ended, even if its runs are answered', async () => {
    const { ids, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    void send('waiting')
    requests[0]!.answer('first-0', ended(1))
    await settled()
    expect(ids()).toEqual([])
    requests[0]!.end()
    await settled()
    expect(ids()).toEqual([['waiting']])
  })

  it('wait for slow runs, except for the last one', async () => {
    const { finish, occupy, requests, send } = batcherWithOrigin()
    await occupy()
    finish(requests[0]!)
    finish(requests[1]!)
    await settled()
    void send('next')
    await settled()
    expect(requests.map(({ waitMs }) => waitMs)).toEqual([
      EXECUTE_WAIT_MS,
      EXECUTE_WAIT_MS,
      EXECUTE_WAIT_CROWDED_MS,
      EXECUTE_WAIT_MS,
    ])
  })
})

describe('a run that is not sent', () => {
  it('has the result of its preparation, and takes no place in the batch', async () => {
    const { finish, prepared, requests, send, sendAs } = batcherWithOrigin()
    const failing = () => {
      throw new Error('the trigger was deleted')
    }
    const results = [
      sendAs(failing),
      send('a'),
      sendAs(() => ({ unsent: 'disabled' })),
      sendAs(() => prepared('b')),
    ]
    await settled()
    expect(requests.map(({ ids }) => ids)).toEqual([['a', 'b']])
    finish(requests[0]!)
    const [a, b] = ['a', 'b'].map(ended)
    expect(await Promise.all(results)).toEqual(['the trigger was deleted', a, 'disabled', b])
  })

  it('is prepared only when a connection is free, because the trigger may change in the meantime', async () => {
    const { finish, occupy, requests, sendAs } = batcherWithOrigin()
    await occupy()
    let isEnabled = true
    let preparations = 0
    const result = sendAs(() => {
      preparations++
      return { unsent: isEnabled ? 'enabled' : 'disabled' }
    })
    await settled()
    expect(preparations).toBe(0)
    isEnabled = false
    finish(requests[0]!)
    expect(await result).toBe('disabled')
  })

  it('uses no connection', async () => {
    const { requests, send, sendAs } = batcherWithOrigin()
    for (let n = 0; n < 2 * CONNECTIONS; n++) await sendAs(() => ({ unsent: 'disabled' }))
    void send('a')
    await settled()
    expect(requests.map(({ ids }) => ids)).toEqual([['a']])
  })

  it('fails alone if its sending cannot be recorded', async () => {
    const { finish, prepared, requests, send, sendAs } = batcherWithOrigin()
    const unrecorded = {
      ...prepared('b'),
      onSend: () => {
        throw new Error('storage')
      },
    }
    const results = [send('a'), sendAs(() => unrecorded), send('c')]
    await settled()
    expect(requests.map(({ ids }) => ids)).toEqual([['a', 'c']])
    finish(requests[0]!)
    expect(await Promise.all(results)).toEqual([ended('a'), 'storage', ended('c')])
  })

  it('uses no connection if no run of its batch can be recorded', async () => {
    const { ids, occupy, prepared, requests, finish, sendAs } = batcherWithOrigin()
    const unrecorded = {
      ...prepared('x'),
      onSend: () => {
        throw new Error('storage')
      },
    }
    expect(await sendAs(() => unrecorded)).toBe('storage')
    await occupy()
    finish(requests[0]!)
    await settled()
    expect(ids()).toEqual([])
  })
})

describe('a broken connection', () => {
  it('fails only the runs that were not answered', async () => {
    const { requests, send } = batcherWithOrigin()
    const results = ['a', 'b', 'c'].map((id) => send(id))
    await settled()
    requests[0]!.answer('b', ended('b'))
    requests[0]!.fail('broken')
    expect(await Promise.all(results)).toEqual(['broken', ended('b'), 'broken'])
  })

  it('does not change a response that has arrived, and later responses to the same run are ignored', async () => {
    const { requests, send } = batcherWithOrigin()
    const result = send('a')
    await settled()
    const [request] = requests
    request!.answer('a', { state: 'running' })
    request!.answer('a', ended('second'))
    request!.answer('unknown', ended('of no run'))
    request!.fail('broken')
    expect(await result).toEqual({ state: 'running' })
  })
})

it('sends a run that arrives while a response is handled', async () => {
  const { finish, requests, send } = batcherWithOrigin()
  const second = send('a').then(() => send('b'))
  await settled()
  finish(requests[0]!)
  await settled()
  expect(requests.map(({ ids }) => ids)).toEqual([['a'], ['b']])
  finish(requests[1]!)
  expect(await second).toEqual(ended('b'))
})
