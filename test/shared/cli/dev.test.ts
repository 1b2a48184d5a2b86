import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StateLock } from '../../../origin/stack/state-lock.ts'
import { startLocalStack } from '../../doubles/local-stack.ts'
import { GOOD_TOKEN, startTriggerApi, type TriggerApi } from '../../doubles/trigger-api.ts'
import { type Ran, type Surroundings, svc } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-dev-'))
const config = join(folder, 'config')
const environment = { SVC_CONFIG_DIR: config }

let deployment: TriggerApi
let stack: Awaited<ReturnType<typeof startLocalStack>>
beforeAll(async () => {
  deployment = await startTriggerApi()
  stack = await startLocalStack(join(folder, '.svc'))
  stack.triggers.approve()
  mkdirSync(config, { mode: 0o700 })
  const edges = {
    [stack.triggers.url]: { token: 'l'.repeat(64) },
    [deployment.url]: { token: GOOD_TOKEN },
  }
  const kept = JSON.stringify({ version: 1, origins: {}, edges })
  writeFileSync(join(config, 'credentials.json'), kept, { mode: 0o600 })
  await deployment.deliver('hook', { n: 1 })
})
afterAll(async () => {
  await Promise.all([deployment.close(), stack.close()])
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  stack.calls.length = 0
  stack.triggers.triggers.clear()
  stack.triggers.runs.clear()
  source('first')
})

const source = (text: string) => writeFileSync(join(folder, 'action.js'), `// ${text}`)
const codes = () => stack.calls.map(({ code }) => code)

const dev = (words: string[], around: Surroundings = {}): Promise<Ran> =>
  svc(['dev', ...words], { folder, environment, ...around })

/** Runs the command until `act` has returned false for a text that it wrote. */
function devUntil(words: string[], act: (written: number, text: string) => boolean): Promise<Ran> {
  const interrupted = new AbortController()
  let written = 0
  const onWrite = (text: string) => {
    if (!act(++written, text)) interrupted.abort(new Error('interrupted'))
  }
  return dev(words, { onWrite, signal: interrupted.signal })
}

describe('svc dev', () => {
  it('--once runs the action with the params, and prints where the console is', async () => {
    const ran = await dev(['action.js', '--params', 'event={"n":1}', '--once'])
    expect(ran).toMatchObject({ code: 0, out: '{\n  "echo": {\n    "n": 1\n  }\n}\n' })
    expect(ran.err).toContain(`${stack.triggers.url}/console\n`)
    expect(stack.calls).toMatchObject([{ code: '// first', params: { event: { n: 1 } } }])
    const kept = JSON.parse(readFileSync(join(config, 'credentials.json'), 'utf8'))
    expect(kept.origins[stack.baseUrl].usage_keys[0].key).toBe(stack.calls[0]!.key)
  })

  it('--once exits with 1 if the run failed', async () => {
    const ran = await dev(['action.js', '--params', 'event={"fail":"no"}', '--once'])
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('svc: Error: no') })
  })

  it('runs again after each change, and exits with 130 on Ctrl-C', async () => {
    const ran = await devUntil(['action.js', '--params', 'event=1'], (written) => {
      if (written === 1) source('second')
      return written < 2
    })
    expect(ran.code).toBe(130)
    expect(codes()).toEqual(['// first', '// second'])
  })

  it('--trigger updates the code of a local trigger and the key that may run it', async () => {
    await stack.triggers.deliver('mine', {})
    await devUntil(['action.js', '--trigger', 'mine'], (written) => {
      if (written === 1) source('second')
      return written < 2
    })
    expect([...stack.triggers.triggers.values()][0]).toMatchObject({ action_code: '// second' })
    expect(stack.triggers.keys.at(-1)).toBe(stack.usageKeys.at(-1)!.key)
    expect(stack.calls).toEqual([])
  })

  it('--listen replays events of a deployment, and the last one again after a change', async () => {
    const listen = ['--listen', 'hook', '--triggers-url', deployment.url, '--last', '1']
    const ran = await devUntil(['action.js', ...listen], (written) => {
      if (written === 1) source('second')
      return written < 2
    })
    expect(ran.out.match(/^ {2}result +same$/gm)).toHaveLength(2)
    expect(stack.calls).toMatchObject([
      { code: '// first', params: { event: { n: 1 } } },
      { code: '// second', params: { event: { n: 1 } } },
    ])
  })

  it('--listen with --trigger replays events after the trigger was updated', async () => {
    await stack.triggers.deliver('mine', {})
    const listen = ['--listen', 'hook', '--triggers-url', deployment.url, '--last', '1']
    const ran = await devUntil(
      ['action.js', '--trigger', 'mine', ...listen],
      (written) => written < 2,
    )
    expect(ran.out).toMatch(/^Updated [^]*^ {2}local +success/m)
    const requests = stack.triggers.received.map(({ method, url }) => `${method} ${url}`)
    const update = requests.findIndex((one) => one.startsWith('PATCH'))
    expect(requests.findIndex((one) => one.endsWith('/test'))).toBeGreaterThan(update)
  })

  it('deploys a project to no other host than the stack, although another one was the last login', async () => {
    writeFileSync(join(folder, 'project.json'), '{"version":1,"name":"shop"}')
    const file = join(config, 'credentials.json')
    const before = readFileSync(file, 'utf8')
    const current = { base_url: deployment.url, triggers_url: deployment.url }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(before), current }))
    deployment.received.length = stack.received.length = 0
    await dev(['project.json', '--once'])
    writeFileSync(file, before)
    expect(stack.received.length).toBeGreaterThan(0)
    expect(deployment.received).toEqual([])
  })

  it('prints the output of a stack that does not start', async () => {
    const taken = join(folder, 'taken')
    const lock = await StateLock.take(taken)
    try {
      const ran = await dev(['action.js', '--once', '--state-dir', 'taken'], {
        environment: { ...process.env, ...environment } as Record<string, string>,
      })
      expect(ran).toMatchObject({ code: 7, out: '' })
      expect(ran.err).toContain(`svc: the local stack stopped\nsvc: ${taken} is in use`)
    } finally {
      lock.release()
    }
  })

  it('starts the stack without the credentials of the deployment', async () => {
    const lock = await StateLock.take(join(folder, 'taken'))
    const recorder = join(folder, 'recorder.mjs')
    const recorded = join(folder, 'environment.json')
    writeFileSync(
      recorder,
      `import { writeFileSync } from 'node:fs'
      writeFileSync(${JSON.stringify(recorded)}, JSON.stringify(process.env))`,
    )
    const credentials = Object.fromEntries(
      ['SVC_API_KEY', 'SVC_USAGE_KEY', 'SVC_TOKEN', 'SVC_TOKEN_FILE'].map((name) => [name, 'x']),
    )
    try {
      await dev(['action.js', '--once', '--state-dir', 'taken'], {
        environment: {
          ...(process.env as Record<string, string>),
          ...environment,
          ...credentials,
          NODE_OPTIONS: `--import=${recorder}`,
        },
      })
    } finally {
      lock.release()
    }
    const received = JSON.parse(readFileSync(recorded, 'utf8'))
    expect(received).toMatchObject({ SVC_STATE_DIR: join(folder, 'taken') })
    for (const name of Object.keys(credentials)) expect(received).not.toHaveProperty(name)
  })

  it.each<[string[], string]>([
    [['-'], 'needs a file'],
    [['missing.js'], 'missing.js'],
    [['action.js', '--listen', 'hook', '--once'], 'svc listen with --no-follow'],
    [['action.js', '--last', '1'], 'need --listen'],
    [[], 'svc.json'],
    [['svc.json', '--params', 'a=1'], 'need an action or --listen'],
  ])('%j has no effect', async (words, message) => {
    expect(await dev(words)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
    expect(stack.calls).toEqual([])
  })
})
