/** An agent that knows the guide alone, in a home of its own, and the person that it asks. */
import { spawn, spawnSync } from 'node:child_process'
import { differs } from './sample.ts'
import type { Request, Step } from './guide.ts'

export type Person = {
  email: string
  accountKey: string
  /** Opens a link in a browser, and types the code where there is one. */
  open: (url: string, code?: string) => Promise<void>
}

export type Walk = {
  home: string
  caFile: string
  person: Person
}

/**
 * Does the steps in order, each in a shell of its own: some agents keep one, some do not. The person acts while the next step
 * waits. @throws {Error} that names the step that failed, with what it printed
 */
export async function doAll(steps: Step[], { home, caFile, person }: Walk): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: home, CURL_CA_BUNDLE: caFile }
  let meanwhile: Promise<void> = Promise.resolve()
  for (const { at, commands, sample, asks } of steps) {
    const [{ code, stdout, stderr }] = await Promise.all([shell(commands, env), meanwhile])
    const fault = code !== 0 ? `exit code ${code}` : sample && differs(sample, stdout)
    if (fault !== undefined)
      throw new Error(`${at}: ${fault}\n\n${commands}\nprinted:\n${stdout}\n${stderr}`)
    meanwhile = Promise.all(asks.map((request) => act(request, stdout, person, env))).then(() => {})
    // It is awaited with the next step, which may fail before.
    meanwhile.catch(() => {})
  }
  await meanwhile
}

async function act(
  request: Request,
  shown: string,
  { email, accountKey, open }: Person,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  switch (request) {
    case 'open': {
      const url = /https?:\/\/\S+/.exec(shown)?.[0] ?? ''
      return open(url, /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(shown)?.[0])
    }
    case 'whether':
      if (!shown.includes(`"${email}"`)) throw new Error(`the person was not shown ${email}`)
      return
    case 'run': {
      // As many times as they are asked for it.
      const { code, stderr } = await shell(shown, env, `${accountKey}\n`.repeat(3))
      if (code !== 0) throw new Error(`the person's commands failed:\n${shown}\n${stderr}`)
    }
  }
}

type Ended = { code: number | null; stdout: string; stderr: string }

/** Strict, so that no command of a block fails unseen. */
function shell(commands: string, env: NodeJS.ProcessEnv, input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-euc', commands], { env, cwd: env['HOME'] })
    const ended: Ended = { code: null, stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (ended.stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (ended.stderr += String(chunk)))
    child.on('close', (code) => resolve({ ...ended, code }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** Whether the guide's tools are here; `.ci/run` installs them. */
export const hasTools =
  spawnSync('sh', ['-c', 'curl --version && openssl version && jq --version']).status === 0
if (!hasTools) console.warn('curl, openssl or jq is not installed: the guide for agents is not run')
